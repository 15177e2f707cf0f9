//! Finds tools by words, for hosts that don't put all of them before a model at once.

use bm25::{Document, SearchEngine, SearchEngineBuilder, Tokenizer};

use super::arguments::words;
use super::catalog::ExposedTool;

/// Characters of one definition that are looked at.
const LONGEST: usize = 2_000;

/// Words in lower case, apart wherever a name joins them.
struct Words;

impl Tokenizer for Words {
    fn tokenize(&self, text: &str) -> Vec<String> {
        words(text)
    }
}

/// Names, titles and descriptions of all tools.
#[derive(Default)]
pub(super) struct Index(Option<SearchEngine<u32, u32, Words>>);

impl Index {
    pub(super) fn new<'a>(tools: impl Iterator<Item = &'a ExposedTool>) -> Self {
        let documents: Vec<Document<u32>> = (0..).zip(tools).map(|(id, tool)| Document::new(id, text(tool))).collect();
        if documents.is_empty() {
            return Self(None);
        }
        Self(Some(SearchEngineBuilder::with_tokenizer_and_documents(Words, documents).build()))
    }

    /// Indices of the tools that fit best, best first.
    pub(super) fn search(&self, query: &str, limit: usize) -> Vec<usize> {
        let Some(engine) = &self.0 else { return Vec::new() };
        let query: String = query.chars().take(LONGEST).collect();
        let mut found = engine.search(&query, None);
        // What fits equally well stands in the order of the toolbox.
        found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.document.id.cmp(&b.document.id)));
        found.into_iter().take(limit).filter_map(|result| usize::try_from(result.document.id).ok()).collect()
    }
}

fn text(tool: &ExposedTool) -> String {
    let description = tool.definition.description.as_deref().unwrap_or_default();
    let description: String = description.chars().take(LONGEST).collect();
    let text = format!("{} {} {} {description}", tool.server, tool.definition.name, tool.display_name);
    text.chars().take(LONGEST).collect()
}
