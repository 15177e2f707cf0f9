//! The README starts a stranger with exactly two commands.

use super::Offence;

const HEADING: &str = "## Start";
const FENCE: &str = "```sh";
const COMMANDS: usize = 2;

pub(super) fn check(readme: Option<&str>) -> Option<Offence> {
    let Some(readme) = readme else {
        return Some(Offence::new("README.md", 1, format!("missing; write it, with two commands under `{HEADING}`")));
    };
    let Some(start) = readme.lines().position(|line| line.trim_end() == HEADING) else {
        return Some(Offence::new("README.md", 1, format!("no heading `{HEADING}`; add it, with two commands")));
    };
    let found = commands(readme);
    (found.len() != COMMANDS).then(|| {
        Offence::new(
            "README.md",
            start + 1,
            format!(
                "{} commands in `{FENCE}` blocks under `{HEADING}`; give exactly two: one for the demonstration, \
                 one that passes all tests",
                found.len()
            ),
        )
    })
}

/// The command lines of the `sh` blocks between the heading and the next one of its rank.
fn commands(readme: &str) -> Vec<&str> {
    let section = readme.lines().skip_while(|line| line.trim_end() != HEADING).skip(1);
    let mut commands = Vec::new();
    let mut fence = None;
    for line in section.map(str::trim_end) {
        match fence {
            Some(_) if line == "```" => fence = None,
            Some(true) if !line.is_empty() && !line.starts_with('#') => commands.push(line),
            Some(_) => {}
            None if line.starts_with("```") => fence = Some(line == FENCE),
            None if line.starts_with("# ") || line.starts_with("## ") => break,
            None => {}
        }
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_commands_pass_in_one_block_or_two() {
        assert_eq!(check(Some("# x\n\n## Start\n\n```sh\na\n# comment\n\nb\n```\n\n## Next\n```sh\nc\n```\n")), None);
        assert_eq!(check(Some("## Start\n```sh\na\n```\ntext\n### Sub\n```sh\nb\n```\n```rust\n## x\n```\n")), None);
    }

    #[test]
    fn any_other_number_is_an_offence() {
        let offence = check(Some("# x\n## Start\n```sh\na\n```\n## Next\n```sh\nb\n```\n")).expect("one command only");
        assert!(offence.to_string().starts_with("README.md:2: 1 commands"), "{offence}");
        assert!(check(Some("## Start\n```sh\na\nb\nc\n```\n")).is_some());
    }

    #[test]
    fn no_readme_and_no_heading_are_offences() {
        assert!(check(None).is_some());
        assert!(check(Some("# x\n```sh\na\nb\n```\n")).is_some());
    }
}
