//! What names and descriptions say, by the words in them.

/// The words of a name: `getUserById`, `get-user_by.id` and `get_user_by_id` have the same.
pub(crate) fn of_name(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before_is_lower = false;
    for c in name.chars() {
        let starts = c.is_uppercase() && before_is_lower;
        if (starts || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before_is_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

const READS: &str = "\
    get list search find fetch read lookup look query describe show view count check inspect browse retrieve \
    download preview summarize explain compare validate status whoami head";
const DESTROYS: &str = "\
    delete remove drop destroy purge wipe erase truncate overwrite cancel revoke terminate kill uninstall reset \
    clear ban unpublish";
const WRITES: &str = "\
    create add insert update edit modify set write put patch post send publish upload append rename move merge \
    push commit deploy start stop restart enable disable approve reject assign close open submit place book buy \
    pay transfer save store replace import sync schedule invite reply archive";
const OTHER_VERBS: &str = "\
    run execute call convert translate generate analyze analyse calculate compute render extract parse format \
    test build resolve wait ask navigate click type press take select hover drag scroll evaluate join split \
    export use load connect subscribe watch track estimate suggest plan play echo emulate fill handle audit \
    resize toggle trigger simulate capture record zip gzip unzip compress encode decode encrypt decrypt sign \
    verify hash sort filter match print log notify mark tag label apply accept decline complete install register \
    login logout think reason transform lint fix monitor diagnose scan crawl scrape index rank score classify \
    detect draw plot chart visualize";

fn has_word(list: &str, word: &str) -> bool {
    list.split(' ').any(|it| it == word)
}

/// Whether the word is a verb that only reads.
pub(crate) fn reads(word: &str) -> bool {
    has_word(READS, word)
}

/// Whether the word is a verb that destroys something.
pub(crate) fn destroys(word: &str) -> bool {
    has_word(DESTROYS, word)
}

/// Whether the word is a verb that changes something, destroying it or not.
pub(crate) fn writes(word: &str) -> bool {
    has_word(WRITES, word) || destroys(word)
}

/// Whether the word is a verb that names of tools are made with.
pub(crate) fn is_verb(word: &str) -> bool {
    reads(word) || writes(word) || has_word(OTHER_VERBS, word)
}

const SECRETS: [&str; 12] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "apikey",
    "token",
    "credential",
    "credentials",
    "pin",
    "otp",
    "ssn",
    "cvv",
];

/// Whether an argument of this name holds a secret. A page token, how many tokens, or a secret's name is none.
pub(crate) fn is_secret(name: &str) -> bool {
    const HARMLESS: &str = "page next max min cursor continuation count sync tokens limit budget number type name ref policy \
                            length expiry expires path format id";
    let words = of_name(name);
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    let secret = words.iter().any(|word| SECRETS.contains(&word.as_str()))
        || (has("api") && has("key"))
        || ((has("private") || has("access") || has("secret")) && has("key"));
    secret && !words.iter().any(|word| has_word(HARMLESS, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        for name in ["getUserById", "get-user_by.id", "get_user_by_id", "GET user/by id"] {
            assert_eq!(of_name(name), ["get", "user", "by", "id"], "{name}");
        }
    }

    #[test]
    fn a_page_token_is_no_secret() {
        for name in ["password", "api_key", "apiKey", "accessToken", "client_secret", "auth_token"] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "page_token",
            "nextPageToken",
            "max_tokens",
            "key",
            "keyword",
            "secretType",
            "secret_name",
            "tokenize",
            "pinned",
            "secretary",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
