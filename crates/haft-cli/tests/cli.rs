//! The command as a user runs it: words in, text and exit code out.
#![allow(missing_docs)]

use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

const HAFT: &str = env!("CARGO_BIN_EXE_haft");

/// Runs `haft WORDS -- haft demo --serve`: the orders server is the one to talk to.
fn against_orders(words: &[&str]) -> Output {
    run(&[words, &["--", HAFT, "demo", "--serve"]].concat())
}

fn run(words: &[&str]) -> Output {
    Command::new(HAFT).args(words).output().expect("haft runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

#[test]
fn list_shows_names_hints_and_arguments_without_colours_in_a_pipe() {
    let output = against_orders(&["list"]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    for part in ["get_order  Look up an order  read-only", "cancel_order", "destructive", "order_id: string  Order ID"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains('\u{1b}'), "{text:?}");
}

#[test]
fn list_as_json_is_the_list_itself() {
    let listed: Value = serde_json::from_str(&stdout(&against_orders(&["list", "--format", "json"]))).expect("JSON");
    assert_eq!(listed["tools"][0]["name"], "get_order");
    assert_eq!(listed["tools"][0]["inputSchema"]["properties"]["order_id"]["pattern"], r"^A-\d{4}$");
}

#[test]
fn a_server_is_found_by_its_name_in_a_file_of_hosts() {
    let file = std::env::temp_dir().join(format!("haft-servers-{}.json", std::process::id()));
    let servers = json!({"mcpServers": {"orders": {"command": "${HAFT_OF_THE_TEST}", "args": ["demo", "--serve"]}}});
    std::fs::write(&file, servers.to_string()).expect("a file");
    let named = |name: &str| {
        let words =
            ["call", "get_order", "order_id=A-1001", "--config", file.to_str().expect("text"), "--server", name];
        Command::new(HAFT).args(words).env("HAFT_OF_THE_TEST", HAFT).output().expect("haft runs")
    };
    let (found, unknown) = (named("orders"), named("nobody"));
    std::fs::remove_file(&file).expect("gone");
    assert_eq!(found.status.code(), Some(0), "{}", stderr(&found));
    assert!(stdout(&found).starts_with("{\"order_id\":\"A-1001\""), "{}", stdout(&found));
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("there are: "), "{}", stderr(&unknown));
}

#[test]
fn call_prints_what_the_model_reads_then_the_structure() {
    for words in
        [&["call", "get_order", "order_id=A-1001"][..], &["call", "get_order", "--json", r#"{"order_id":"A-1001"}"#]]
    {
        let output = against_orders(words);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let text = stdout(&output);
        let (model, structure) = text.split_once("structured content:\n").expect("both halves");
        assert_eq!(model, "{\"order_id\":\"A-1001\",\"status\":\"shipped\"}\n");
        let structure: Value = serde_json::from_str(structure).expect("JSON");
        assert_eq!(structure, json!({"order_id": "A-1001", "status": "shipped"}));
    }
}

#[test]
fn an_error_result_exits_with_one_and_no_answer_with_two() {
    let refused = against_orders(&["call", "get_order", "order_id=1001"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stdout(&refused).contains(r"must match the pattern ^A-\d{4}$"), "{}", stdout(&refused));

    let unknown = against_orders(&["call", "refund_order"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains(r#"no tool "refund_order""#), "{}", stderr(&unknown));

    let missing = run(&["list", "--", "/no/such/program"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("/no/such/program could not be started"), "{}", stderr(&missing));
}

#[cfg(unix)]
#[test]
fn a_server_that_dies_is_shown_with_its_last_words() {
    let output = run(&["list", "--", "sh", "-c", "echo 'no database' >&2; read line; exit 3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no database"), "{}", stderr(&output));
}

#[test]
fn a_server_exits_when_its_stdin_closes_though_nobody_reads_its_answers() {
    let mut server = Command::new(HAFT)
        .args(["demo", "--serve"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("haft runs");
    let unread = server.stdout.take();
    let mut stdin = server.stdin.take().expect("a pipe");
    // Answers of more than a pipe holds.
    for id in 0..200 {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                          "io.modelcontextprotocol/clientCapabilities": {}});
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {"_meta": meta}});
        writeln!(stdin, "{request}").expect("the server reads");
    }
    drop(stdin);
    let (exited, exit) = mpsc::channel();
    thread::spawn(move || exited.send(server.wait()));
    let status = exit.recv_timeout(Duration::from_secs(30)).expect("it exits").expect("a status");
    assert_eq!(status.code(), Some(0));
    drop(unread);
}

#[test]
fn words_that_are_no_arguments_are_refused() {
    let output = against_orders(&["call", "get_order", "A-1001"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("name=value"), "{}", stderr(&output));
}

#[test]
fn demo_shows_each_kind_of_answer() {
    let output = run(&["demo"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    for part in [
        "get_order  Look up an order",
        r#"{"order_id":"A-1001","status":"shipped"}"#,
        r"- /order_id: must match the pattern ^A-\d{4}$",
        "No order A-9999. Ask the user to check the ID on their receipt.",
        r#"the server has no tool "refund_order""#,
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let json: Value = serde_json::from_str(&stdout(&run(&["demo", "--format", "json"]))).expect("JSON");
    assert_eq!(json["calls"].as_array().map(Vec::len), Some(4));
}

/// Runs `haft WORDS` with this on stdin.
fn fed(words: &[&str], input: &str) -> Output {
    let mut child = Command::new(HAFT)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("haft runs");
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("haft reads all of it");
    child.wait_with_output().expect("haft ends")
}

const BROKEN: &str = r#"{"tools": [{"name": "send mail", "inputSchema": {"type": "string"}}]}"#;

#[test]
fn check_judges_a_server_as_hosts_will() {
    let output = against_orders(&["check", "--host", "all", "--fail-on", "truncates"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("\nwho ") && text.contains("\nclaude-code "), "{text}");
    assert!(!text.contains('\u{1b}'), "{text:?}");
}

#[test]
fn check_probes_what_a_command_starts_and_shows_what_went_over_the_wire() {
    let checked = |words: &[&str]| {
        let output = against_orders(&[&["check", "--format", "json", "--verbose"], words].concat());
        serde_json::from_str::<Value>(&stdout(&output)).expect("JSON")
    };
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = folder.path().join("arguments.json");
    std::fs::write(&arguments, r#"{"get_order": [{"order_id": "A-1001"}]}"#).expect("written");
    let report = checked(&["--args", arguments.to_str().expect("UTF-8")]);
    let findings = report["findings"].as_array().expect("findings");
    assert!(findings.iter().all(|finding| finding["probe"].is_null()), "{findings:#?}");
    let exchanges = report["exchanges"].as_array().expect("exchanges");
    let called = |tool: &str| exchanges.iter().filter(|it| it["tool"] == tool).count();
    assert!(called("get_order") > 1, "{exchanges:#?}");
    assert_eq!(called("cancel_order"), 0, "it isn't read-only");
    let good = exchanges.iter().find(|it| it["probe"] == "good-call").expect("a call");
    assert!(good["received"][0].as_str().expect("a message").contains("shipped"), "{good}");
    assert_eq!(checked(&["--no-probe"])["exchanges"], json!([]));
}

#[test]
fn check_says_what_is_wrong_where_and_for_whom() {
    let output = fed(&["check", "-"], BROKEN);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    for part in ["rejects[SPEC-IN-001]", "--> stdin:1:58", "has to be \"object\"", "rejects[OAI-API-NAME]", "portable"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn check_prints_for_programs_code_scanning_comments_and_test_reports() {
    let json: Value = serde_json::from_str(&stdout(&fed(&["check", "--format", "json", "-"], BROKEN))).expect("JSON");
    assert_eq!(json["version"], 1);
    assert!(json["findings"].as_array().expect("findings").iter().any(|it| it["pointer"] == "/inputSchema/type"));
    let sarif: Value = serde_json::from_str(&stdout(&fed(&["check", "--format", "sarif", "-"], BROKEN))).expect("JSON");
    assert_eq!(sarif["version"], "2.1.0");
    assert!(stdout(&fed(&["check", "--format", "markdown", "-"], BROKEN)).starts_with("### haft check: 1 tool"));
    assert!(stdout(&fed(&["check", "--format", "junit", "-"], BROKEN)).starts_with("<?xml"));
}

#[test]
fn check_fails_at_the_severity_that_is_asked_for() {
    let code = |words: &[&str], input: &str| fed(&[&["check"], words, &["-"]].concat(), input).status.code();
    let dotted = r#"[{"name": "get.order", "inputSchema": {"type": "object", "properties": {}}}]"#;
    assert_eq!(code(&["--host", "claude-app"], dotted), Some(0), "reported by users only: degraded");
    assert_eq!(code(&["--host", "claude-app", "--fail-on", "degraded"], dotted), Some(1));
    assert_eq!(code(&["--host", "vscode", "--fail-on", "truncates"], dotted), Some(1));
    assert_eq!(code(&["--host", "vscode", "--fail-on", "truncates", "--allow", "VSC-NAME-001"], dotted), Some(0));
    assert_eq!(code(&["--fail-on", "never"], BROKEN), Some(0));
}

#[test]
fn check_exits_with_2_when_there_is_nothing_to_check() {
    for (words, input, says) in [
        (&["check", "-"][..], "{", "stdin: not JSON"),
        (&["check", "-"], "{}", "there are no `tools`"),
        (&["check"], "", "nothing to check"),
        (&["check", "/no/such/file.json"], "", "can't be read"),
        (&["check", "--host", "nobody", "-"], "[]", "no host is called"),
        (&["check", "--allow", "NO-SUCH-RULE", "-"], "[]", "no rule is called"),
        (&["check", "-", "--", "true"], "[]", "two things to check"),
        (&["list", "--format", "sarif", "--", "true"], "", "only `haft check`"),
    ] {
        let output = fed(words, input);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(stderr(&output).contains(says), "{words:?}: {}", stderr(&output));
    }
}

#[test]
fn rules_are_listed_shown_and_found_when_stale() {
    let all = stdout(&run(&["rules"]));
    assert!(all.lines().count() > 100 && all.contains("CLA-IN-001"), "{all}");
    let one = stdout(&run(&["rules", "cla-in-001"]));
    assert!(one.starts_with("# CLA-IN-001: ") && one.contains("anthropics/claude-code#5973"), "{one}");
    assert!(stdout(&run(&["rules", "--stale", "100000d"])).is_empty());
    let kiro = stdout(&run(&["rules", "--host", "kiro", "--format", "json"]));
    let kiro: Value = serde_json::from_str(&kiro).expect("JSON");
    assert!(kiro.as_array().expect("a list").iter().all(|rule| rule["hosts"].to_string().contains("kiro")));
    assert_eq!(run(&["rules", "NO-SUCH-RULE"]).status.code(), Some(2));
}

#[test]
fn check_shows_only_what_an_earlier_report_had_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = folder.path().join("report.json");
    std::fs::write(&report, stdout(&fed(&["check", "--format", "json", "-"], BROKEN))).expect("written");
    let baseline = report.to_str().expect("UTF-8");
    let again = fed(&["check", "--baseline", baseline, "--fail-on", "advice", "-"], BROKEN);
    assert_eq!(again.status.code(), Some(0), "{}", stdout(&again));
    let other = BROKEN.replace("send mail", "mail");
    assert_eq!(fed(&["check", "--baseline", baseline, "-"], &other).status.code(), Some(1));
    let no_report = fed(&["check", "--baseline", "Cargo.toml", "-"], BROKEN);
    assert_eq!(no_report.status.code(), Some(2));
    assert!(stderr(&no_report).contains("not a report"), "{}", stderr(&no_report));
}

#[test]
fn a_project_allows_rules_with_a_reason_and_until_a_day() {
    let dotted = r#"[{"name": "get.order", "inputSchema": {"type": "object", "properties": {}}}]"#;
    let check = |name: &str, text: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(name), text).expect("written");
        std::fs::write(folder.path().join("tools.json"), dotted).expect("written");
        Command::new(HAFT)
            .args(["check", "--host", "vscode", "--fail-on", "truncates", "tools.json"])
            .current_dir(folder.path())
            .output()
            .expect("haft runs")
    };
    let allow =
        |until: &str| format!("rule = \"VSC-NAME-001\"\ntool = \"get.order\"\nreason = \"in use\"\nuntil = {until}\n");
    let holds = check("haft.toml", &format!("[[allow]]\n{}", allow("\"9999-12-31\"")));
    assert_eq!(holds.status.code(), Some(0), "{}{}", stdout(&holds), stderr(&holds));
    let manifest = format!("[package]\nname = \"x\"\n[[package.metadata.haft.allow]]\n{}", allow("9999-12-31"));
    assert_eq!(check("Cargo.toml", &manifest).status.code(), Some(0));

    let expired = check("haft.toml", &format!("[[allow]]\n{}", allow("2020-01-01")));
    assert_eq!(expired.status.code(), Some(1));
    assert!(stderr(&expired).contains("holds no longer"), "{}", stderr(&expired));
    let unused =
        check("haft.toml", &format!("[[allow]]\n{}", allow("9999-12-31").replace("VSC-NAME-001", "SPEC-IN-001")));
    assert!(stderr(&unused).contains("nothing breaks SPEC-IN-001 any more"), "{}", stderr(&unused));
    for wrong in [
        "[[allow]]\nrule = \"NO-SUCH-RULE\"\nreason = \"x\"\nuntil = 9999-12-31",
        "allow = 7",
        "[[allow]]\nrule = \"X-DUP-001\"",
    ] {
        assert_eq!(check("haft.toml", wrong).status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn diff_says_what_breaks_and_exits_by_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, longest: u32, description: &str| {
        let schema = json!({"type": "object", "properties": {"id": {"type": "string", "maxLength": longest}}});
        let tools = json!({"tools": [{"name": "get_order", "description": description, "inputSchema": schema}]});
        let path = folder.path().join(name);
        std::fs::write(&path, tools.to_string()).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    };
    let (short, long, other) = (file("short", 4, "one"), file("long", 8, "one"), file("other", 8, "t\u{1b}[31mwo"));

    let breaks = run(&["diff", &long, &short]);
    assert_eq!(breaks.status.code(), Some(1), "{}", stderr(&breaks));
    let text = stdout(&breaks);
    let line = "  breaking    `maxLength` was 8 and is 4  /inputSchema/properties/id/maxLength\n";
    assert!(text.starts_with(&format!("get_order\n{line}The contract differs. sha256:")), "{text}");

    assert_eq!(run(&["diff", &short, &long]).status.code(), Some(0));
    assert_eq!(run(&["diff", "--fail-on", "compatible", &short, &long]).status.code(), Some(1));
    assert!(stdout(&run(&["diff", &long, &long])).starts_with("Nothing differs. sha256:"));
    let cosmetic = run(&["diff", "--fail-on", "cosmetic", "--format", "json", &long, &other]);
    assert_eq!(cosmetic.status.code(), Some(1));
    let report: Value = serde_json::from_str(&stdout(&cosmetic)).expect("JSON");
    assert_eq!((&report["worst"], &report["changes"][0]["pointer"]), (&json!("cosmetic"), &json!("/description")));

    let nothing = run(&["diff", &long, "Cargo.toml"]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(stderr(&nothing).contains("the new definitions"), "{}", stderr(&nothing));
}
