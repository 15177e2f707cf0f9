//! What a server asks in mid-call, put to whoever sits at the terminal.

use std::io::{BufRead, IsTerminal, Write};

use haft::{ClientBuilder, Elicitation, Elicited};
use serde_json::{Map, Value};

use crate::show::{indented, line};

/// Lets the builder's client ask at the terminal, if there is one and it may.
pub(crate) fn at_terminal(builder: ClientBuilder, may: bool) -> ClientBuilder {
    if !may || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return builder;
    }
    builder.on_elicitation_and_urls(|asked| async move {
        // The terminal is read on a thread of its own: meanwhile the server may say that it is done waiting.
        let answered =
            tokio::task::spawn_blocking(move || answer(&asked, &mut std::io::stdin().lock(), &mut std::io::stderr()));
        answered.await.ok().and_then(Result::ok).unwrap_or(Elicited::Cancel)
    })
}

/// Reads one answer, field by field. An empty line takes the default, or leaves the field out; the end of input cancels.
fn answer(asked: &Elicitation, input: &mut impl BufRead, output: &mut impl Write) -> std::io::Result<Elicited> {
    writeln!(output, "\nThe server asks: {}", indented(&asked.message))?;
    let mut ask = |question: &str| -> std::io::Result<Option<String>> {
        write!(output, "{question} ")?;
        output.flush()?;
        let mut line = String::new();
        let read = input.read_line(&mut line)?;
        Ok((read > 0).then(|| line.trim().to_owned()))
    };
    let Some(form) = &asked.form else {
        let url = asked.url.as_deref().unwrap_or_default();
        let agreed =
            ask(&format!("It wants you to open {}\nHave you opened it? [y/N]", haft_check::printable_line(url)))?;
        return Ok(match agreed.as_deref() {
            Some("y" | "Y" | "yes") => Elicited::Accept(Map::new()),
            Some(_) => Elicited::Decline,
            None => Elicited::Cancel,
        });
    };
    match ask("Answer it? [Y/n]")?.as_deref() {
        Some("" | "y" | "Y" | "yes") => {}
        Some(_) => return Ok(Elicited::Decline),
        None => return Ok(Elicited::Cancel),
    }
    let mut content = Map::new();
    for (name, field) in asked.fields() {
        let required =
            form.get("required").and_then(Value::as_array).is_some_and(|names| names.contains(&name.as_str().into()));
        loop {
            let Some(line) = ask(&question(name, field, required))? else { return Ok(Elicited::Cancel) };
            match value(&line, field, required) {
                Ok(Some(value)) => drop(content.insert(name.clone(), value)),
                Ok(None) => {}
                Err(why) => {
                    ask(&format!("{why}. [Enter]"))?;
                    continue;
                }
            }
            break;
        }
    }
    Ok(Elicited::Accept(content))
}

/// What is shown for one field.
fn question(name: &str, field: &Value, required: bool) -> String {
    let title = field["title"].as_str().unwrap_or(name);
    let about = field["description"].as_str().map(|about| format!(" ({about})")).unwrap_or_default();
    let choices = choices(field);
    let choices = if choices.is_empty() { String::new() } else { format!(" [{}]", choices.join(" | ")) };
    let default = match field.get("default") {
        Some(default) => format!(" (empty: {default})"),
        None if required => String::new(),
        None => " (may be empty)".to_owned(),
    };
    line(&format!("{title}{about}{choices}{default}:"))
}

fn choices(field: &Value) -> Vec<&str> {
    let names = |list: &'static str| field.pointer(list).and_then(Value::as_array).into_iter().flatten();
    let plain = names("/enum").chain(names("/items/enum")).filter_map(Value::as_str);
    let titled = names("/oneOf").chain(names("/items/anyOf")).filter_map(|option| option["const"].as_str());
    plain.chain(titled).collect()
}

/// What a line means for a field; none leaves it out.
fn value(line: &str, field: &Value, required: bool) -> Result<Option<Value>, String> {
    if line.is_empty() {
        return match field.get("default") {
            Some(default) => Ok(Some(default.clone())),
            None if required => Err("This field must be filled in".to_owned()),
            None => Ok(None),
        };
    }
    let value = match field["type"].as_str() {
        Some("integer") => line.parse::<i64>().map(Value::from).map_err(|_| "Write a whole number".to_owned())?,
        Some("number") => match line.parse::<f64>() {
            Ok(number) if number.is_finite() => Value::from(number),
            _ => return Err("Write a number".to_owned()),
        },
        Some("boolean") => match line {
            "y" | "yes" | "true" => Value::from(true),
            "n" | "no" | "false" => Value::from(false),
            _ => return Err("Write yes or no".to_owned()),
        },
        Some("array") => Value::from(line.split(',').map(str::trim).collect::<Vec<_>>()),
        _ => Value::from(line),
    };
    let choices = choices(field);
    let chosen = value.as_array().map(|list| list.iter().filter_map(Value::as_str).collect());
    let chosen: Vec<&str> = chosen.unwrap_or_else(|| value.as_str().into_iter().collect());
    match chosen.iter().find(|one| !choices.is_empty() && !choices.contains(one)) {
        Some(other) => Err(format!("`{}` is none of the choices", crate::show::line(other))),
        None => Ok(Some(value)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What comes of these first lines and of those for each field, in whichever order the fields are asked for.
    fn played(begin: &str, field: impl Fn(&str) -> &'static str) -> (Elicited, String) {
        let form = json!({"type": "object", "required": ["size"], "properties": {
            "size": {"type": "string", "enum": ["S", "M"], "title": "Si\u{1b}[31mze"},
            "count": {"type": "integer", "default": 1},
            "gift": {"type": "boolean"},
        }});
        let asked = Elicitation::form("Which?", form.as_object().cloned().unwrap_or_default());
        let lines: String = asked.fields().iter().map(|(name, _)| field(name)).collect();
        let mut shown = Vec::new();
        let answer = answer(&asked, &mut format!("{begin}{lines}").as_bytes(), &mut shown).expect("it can be written");
        (answer, String::from_utf8(shown).expect("text"))
    }

    #[test]
    fn fields_are_asked_for_until_they_fit() {
        let (answer, shown) = played("y\n", |field| match field {
            "size" => "XL\n\n\n\nM\n",
            "gift" => "yes\n",
            _ => "\n",
        });
        let Elicited::Accept(content) = answer else { panic!("{answer:?}") };
        assert_eq!(Value::Object(content), json!({"size": "M", "count": 1, "gift": true}));
        assert!(!shown.contains('\u{1b}'), "{shown:?}");
    }

    #[test]
    fn no_and_the_end_of_input_are_answers_too() {
        assert_eq!(played("n\n", |_| "").0, Elicited::Decline);
        assert_eq!(played("", |_| "").0, Elicited::Cancel);
        assert_eq!(played("y\n", |_| "").0, Elicited::Cancel);
    }
}
