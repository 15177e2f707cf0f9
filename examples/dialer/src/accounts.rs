//! Whose calls they are: accounts, by the hashes of their access tokens.

use std::collections::HashMap;
use std::sync::Arc;

use haft::store::{StoreError, StoreErrorKind};
use haft::{AuthError, Caller, Principal};
use serde::Deserialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::refusal::Refusal;

/// To read calls.
pub(crate) const READ: &str = "calls:read";
/// To place and to end them, and to read them.
pub(crate) const WRITE: &str = "calls:write";

const ISSUER: &str = "dialer";
const CLAIM: &str = "on_behalf_of";
const LOCAL: &str = "local";

/// Whose calls they are, and in whose name they are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) id: String,
    pub(crate) on_behalf_of: String,
}

impl Account {
    /// The account of whoever calls a tool. Over stdio it is whoever started this program, `local`.
    pub(crate) fn of(principal: &Principal, local: &str) -> Result<Self, Refusal> {
        match principal {
            Principal::Local => Ok(Self { id: LOCAL.into(), on_behalf_of: local.to_owned() }),
            Principal::Authenticated(caller) => {
                let name = caller.claims().get(CLAIM).and_then(Value::as_str).unwrap_or(caller.subject());
                Ok(Self { id: caller.subject().to_owned(), on_behalf_of: name.to_owned() })
            }
            _ => Err(Refusal::Anonymous),
        }
    }
}

/// The accounts of a file. Cloning is cheap.
#[derive(Clone)]
pub(crate) struct Accounts {
    by_hash: Arc<HashMap<String, Caller>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    account: Vec<Row>,
}

/// One account, as it is written in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    on_behalf_of: String,
    token_sha256: String,
    scopes: Vec<String>,
}

impl Accounts {
    /// Reads a file of accounts.
    ///
    /// # Errors
    /// Everything that is wrong with it, in one text.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        let (mut by_hash, mut problems) = (HashMap::new(), Vec::new());
        for row in file.account {
            problems.extend(row.problems());
            let hash = row.token_sha256.to_ascii_lowercase();
            if by_hash.insert(hash, row.caller()).is_some() {
                problems.push("two accounts have one token".to_owned());
            }
        }
        if by_hash.is_empty() && problems.is_empty() {
            problems.push("there is no [[account]]".to_owned());
        }
        if problems.is_empty() { Ok(Self { by_hash: Arc::new(by_hash) }) } else { Err(problems.join("\n")) }
    }

    /// One account, and its token, which is nowhere but here.
    ///
    /// # Errors
    /// Where the system gives no random bytes.
    pub(crate) fn temporary(on_behalf_of: &str) -> Result<(Self, String), String> {
        let token = new_token()?;
        let scopes = vec![WRITE.to_owned()];
        let row = Row { id: "http".into(), on_behalf_of: on_behalf_of.into(), token_sha256: hash(&token), scopes };
        let by_hash = HashMap::from([(row.token_sha256.clone(), row.caller())]);
        Ok((Self { by_hash: Arc::new(by_hash) }, token))
    }

    /// Who has this token. Only its hash is compared, of which nobody can choose a prefix.
    pub(crate) fn caller(&self, token: &str) -> Result<Caller, AuthError> {
        self.by_hash.get(&hash(token)).cloned().ok_or_else(|| AuthError::invalid("this token belongs to no account"))
    }
}

impl Row {
    fn caller(&self) -> Caller {
        let claims = Map::from_iter([(CLAIM.to_owned(), Value::from(self.on_behalf_of.as_str()))]);
        Caller::new(ISSUER, &self.id).with_scopes(self.scopes.iter().cloned()).with_claims(claims)
    }

    fn problems(&self) -> Vec<String> {
        let id = &self.id;
        let mut problems = Vec::new();
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.@".contains(&byte);
        if id.is_empty() || id.len() > 64 || id == LOCAL || !id.bytes().all(plain) {
            problems.push(format!("account {id:?}: an id has 1 to 64 of a-z 0-9 - _ . @, and isn't {LOCAL:?}"));
        }
        if self.on_behalf_of.trim().is_empty() || self.on_behalf_of.len() > 200 {
            problems.push(format!("account {id:?}: on_behalf_of is said in each call: 1 to 200 bytes"));
        }
        if self.token_sha256.len() != 64 || !self.token_sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            problems.push(format!("account {id:?}: token_sha256 is no SHA-256 in hexadecimal"));
        }
        for scope in self.scopes.iter().filter(|scope| ![READ, WRITE].contains(&scope.as_str())) {
            problems.push(format!("account {id:?}: {scope:?} is no scope; there are {READ:?} and {WRITE:?}"));
        }
        problems
    }
}

/// A new token and the lines that let it in, for the file.
///
/// # Errors
/// Where the system gives no random bytes.
pub(crate) fn new_account(id: &str) -> Result<String, String> {
    let token = new_token()?;
    let hash = hash(&token);
    Ok(format!(
        "# The token, which is shown this once: {token}\n[[account]]\nid = {id:?}\non_behalf_of = {id:?}\n\
         token_sha256 = {hash:?}\nscopes = [{WRITE:?}]\n"
    ))
}

/// 26 characters of base 32, with 130 bits of the system's.
pub(crate) fn random() -> Result<String, StoreError> {
    let mut bytes = [0; 17];
    getrandom::fill(&mut bytes).map_err(|error| {
        StoreError::new(StoreErrorKind::Failed, format!("the system gives no random bytes: {error}"))
    })?;
    let mut text = data_encoding::BASE32_NOPAD.encode(&bytes).to_ascii_lowercase();
    text.truncate(26);
    Ok(text)
}

fn new_token() -> Result<String, String> {
    let half = || random().map_err(|error| error.to_string());
    Ok(format!("dialer_{}{}", half()?, half()?))
}

fn hash(token: &str) -> String {
    data_encoding::HEXLOWER.encode(&Sha256::digest(token.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_new_account_writes_lets_its_token_in() {
        let text = new_account("acme").expect("random bytes");
        let token = text.lines().next().and_then(|line| line.rsplit(' ').next()).expect("a token");
        let accounts = Accounts::parse(&text).expect("a file");
        let caller = accounts.caller(token).expect("let in");
        assert_eq!((caller.subject(), caller.scopes().collect::<Vec<_>>()), ("acme", vec![WRITE]));
        assert!(accounts.caller("dialer_other").is_err());
        assert!(!text.lines().skip(1).any(|line| line.contains(token)), "only the hash is kept");
    }

    #[test]
    fn all_mistakes_of_a_file_are_told() {
        let row = "[[account]]\nid = 'Local!'\non_behalf_of = ' '\ntoken_sha256 = 'x'\nscopes = ['calls:admin']\n";
        assert_eq!(Accounts::parse(row).err().map(|problems| problems.lines().count()), Some(4));
        assert!(Accounts::parse("").is_err());
        assert!(Accounts::parse("[[account]]\nid = 'a'\n").is_err());
    }
}
