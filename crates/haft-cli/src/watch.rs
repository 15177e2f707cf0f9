use anstream::println;
use clap::Args;
use haft::{Change, News, SubscribeTo};
use serde_json::json;

use crate::show::line;
use crate::target::{Target, finish};
use crate::{Format, Outcome};

#[derive(Args)]
pub(crate) struct Watch {
    /// The server's URL; or `--` and a command.
    #[arg(value_name = "URL")]
    place: Option<String>,
    /// A resource to be told of as well.
    #[arg(long, value_name = "URI")]
    resource: Vec<String>,
    /// End after so many changes.
    #[arg(long, value_name = "NUMBER")]
    count: Option<usize>,
    #[command(flatten)]
    target: Target,
}

impl Watch {
    pub(crate) async fn run(self, format: Format) -> anyhow::Result<Outcome> {
        let client = self.target.or_url(self.place.as_deref()).connect()?;
        let to = self.resource.iter().fold(SubscribeTo::new().lists(), |to, uri| to.resource(uri));
        let mut subscription = match client.subscribe(to).await {
            Ok(subscription) => subscription,
            Err(error) => return finish(client, Err(error)).await,
        };
        let mut left = self.count.unwrap_or(usize::MAX);
        while left > 0 {
            let Some(news) = subscription.next().await else { break };
            left -= 1;
            let what = match &news {
                News::Changed(Change::Tools) => "tools".to_owned(),
                News::Changed(Change::Prompts) => "prompts".to_owned(),
                News::Changed(Change::Resources) => "resources".to_owned(),
                News::Changed(Change::Resource(uri)) => uri.clone(),
                News::Gap => "something was missed".to_owned(),
                other => format!("{other:?}"),
            };
            match format {
                Format::Json => println!("{}", haft_check::printable_json(&json!({"changed": what}).to_string())),
                Format::Text => println!("changed: {}", line(&what)),
            }
        }
        drop(subscription);
        finish(client, Ok(())).await?;
        Ok(Outcome::Good)
    }
}
