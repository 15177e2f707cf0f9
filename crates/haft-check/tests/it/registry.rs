//! What holds for all rules.

use std::collections::HashSet;

use haft_check::{Confidence, Family, Host, Options, Severity};

#[test]
fn ids_are_unique_and_well_formed() {
    let mut seen = HashSet::new();
    for rule in haft_check::rules() {
        assert!(seen.insert(rule.id), "{} is used twice", rule.id);
        let plain = rule.id.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-');
        assert!(plain && rule.id.contains('-'), "{}", rule.id);
    }
}

#[test]
fn every_rule_says_what_and_why_and_since_when() {
    for rule in haft_check::rules() {
        for text in [rule.title, rule.source, rule.consequence, rule.fix] {
            assert!(text.len() > 3 && text.trim() == text && !text.ends_with('.'), "{}: {text:?}", rule.id);
        }
        let digits: Vec<&str> = rule.date.split('-').collect();
        let date = digits.iter().map(|part| part.len()).eq([4, 2, 2]);
        assert!(date && rule.date.replace('-', "").chars().all(|c| c.is_ascii_digit()), "{}: {:?}", rule.id, rule.date);
    }
}

/// `rejects` and `truncates` are for what a vendor documents and a client really does.
#[test]
fn what_only_users_report_is_at_most_degraded() {
    for rule in haft_check::rules().filter(|rule| rule.confidence == Confidence::Reported) {
        assert!(rule.severity <= Severity::Degraded, "{} is reported only, and {}", rule.id, rule.severity);
    }
}

#[test]
fn rules_of_hosts_name_them_and_those_of_the_specification_do_not() {
    for rule in haft_check::rules() {
        match rule.family {
            Family::Host => assert!(!rule.hosts.is_empty(), "{} names no host", rule.id),
            Family::Specification => assert!(rule.hosts.is_empty(), "{} names a host", rule.id),
            Family::Quality | Family::Safety => {}
        }
        let real = rule.hosts.iter().any(|&host| host != Host::Portable) || rule.hosts.is_empty();
        assert!(real || rule.confidence == Confidence::Derived, "{} speaks of no real host", rule.id);
    }
}

#[test]
fn a_rule_can_be_left_out() {
    let facts = haft_check::ServerFacts::from_definitions("t", r#"[{"name": "x"}]"#).expect("a list");
    let all = haft_check::check(&facts, &Options::default());
    let fewer = haft_check::check(&facts, &Options::default().allow("SPEC-IN-001"));
    assert!(all.findings.iter().any(|finding| finding.rule.id == "SPEC-IN-001"));
    assert_eq!(fewer.findings.len(), all.findings.len() - 1);
}
