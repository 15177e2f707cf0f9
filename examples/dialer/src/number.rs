//! Telephone numbers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A telephone number as ITU-T E.164 writes it: a plus sign, the country's calling code, the rest; at most 15 digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct PhoneNumber(String);

impl PhoneNumber {
    /// The number, if it is written like one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('+')?;
        let well_formed = (7..=15).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && !digits.starts_with('0');
        well_formed.then(|| Self(text.to_owned()))
    }

    /// All of it but the plus sign.
    pub(crate) fn digits(&self) -> &str {
        &self.0[1..]
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PhoneNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for PhoneNumber {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("{text:?} is no telephone number in E.164, such as +12025550123"))
    }
}

impl From<PhoneNumber> for String {
    fn from(number: PhoneNumber) -> Self {
        number.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_e_164_is_a_number() {
        assert_eq!(PhoneNumber::parse("+12025550123").as_ref().map(PhoneNumber::digits), Some("12025550123"));
        for bad in ["", "+", "12025550123", "+02025550123", "+123456", "+1234567890123456", "+1202555012x", "+١٢٣٤٥٦٧٨"]
        {
            assert_eq!(PhoneNumber::parse(bad), None, "{bad}");
        }
    }
}
