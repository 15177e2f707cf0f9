use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

/// A key that seals request state: 32 bytes that nobody else knows.
///
/// Read it from the environment as 64 hexadecimal digits, such as `openssl rand -hex 32` prints:
///
/// ```
/// let key: haft::StateKey = "8f1d7b6a5c4e3d2c1b0a99887766554433221100ffeeddccbbaa998877665544".parse()?;
/// # let _ = key;
/// # Ok::<(), haft::InvalidStateKey>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct StateKey([u8; KEY]);

/// What was given isn't a key; see [`StateKey`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidStateKey(());

const KEY: usize = 32;
const NONCE: usize = 24;
/// The first byte of every state: how the rest is to be read.
const FORMAT: u8 = 1;
const EXPIRY: usize = 8;

impl StateKey {
    /// A key from its bytes.
    pub const fn from_bytes(bytes: [u8; KEY]) -> Self {
        Self(bytes)
    }

    /// A key from the operating system's randomness.
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; KEY];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// Whether all bytes are the same: a placeholder, not a key.
    pub(crate) fn is_placeholder(&self) -> bool {
        self.0.iter().all(|byte| *byte == self.0[0])
    }
}

impl From<[u8; KEY]> for StateKey {
    fn from(bytes: [u8; KEY]) -> Self {
        Self(bytes)
    }
}

impl FromStr for StateKey {
    type Err = InvalidStateKey;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits: Option<Vec<u8>> = text.trim().chars().map(|c| Some(c.to_digit(16)? as u8)).collect();
        let digits = digits.filter(|digits| digits.len() == 2 * KEY).ok_or(InvalidStateKey(()))?;
        let mut bytes = [0; KEY];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            *byte = pair.iter().fold(0, |byte, digit| byte << 4 | digit);
        }
        Ok(Self(bytes))
    }
}

impl fmt::Debug for StateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StateKey(…)")
    }
}

impl fmt::Display for InvalidStateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a state key is 32 bytes, written as 64 hexadecimal digits (`openssl rand -hex 32` makes one)")
    }
}

impl std::error::Error for InvalidStateKey {}

/// Tells the time. Tests have their own.
pub(crate) type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// Seals state on its way to the client and opens it on its way back.
///
/// XChaCha20-Poly1305: its nonces are long enough to be drawn at random by any number of instances that share a key.
pub(crate) struct Sealer {
    ciphers: Vec<XChaCha20Poly1305>,
    ttl: Duration,
    clock: Clock,
}

/// Why a state was not opened. For the log alone: a client learns no more than that it was not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unopened {
    /// It isn't in the form of a state.
    Malformed,
    /// No key opens it for this request: changed, sealed with other keys, or sealed for another request or principal.
    Foreign,
    /// It has expired.
    Expired,
}

impl Sealer {
    /// The first key seals, all of them open.
    pub(crate) fn new(keys: &[StateKey], ttl: Duration, clock: Clock) -> Self {
        let ciphers = keys.iter().map(|key| XChaCha20Poly1305::new(&key.0.into())).collect();
        Self { ciphers, ttl, clock }
    }

    /// Seals `payload` for what `bound` says. `None` without randomness or keys.
    pub(crate) fn seal(&self, payload: &[u8], bound: &[u8]) -> Option<String> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).ok()?;
        let expiry = self.now().saturating_add(self.ttl.as_secs());
        let mut message = expiry.to_be_bytes().to_vec();
        message.extend_from_slice(payload);
        let payload = Payload { msg: &message, aad: bound };
        let sealed = self.ciphers.first()?.encrypt(&XNonce::from(nonce), payload).ok()?;
        let mut state = vec![FORMAT];
        state.extend_from_slice(&nonce);
        state.extend_from_slice(&sealed);
        Some(URL_SAFE_NO_PAD.encode(state))
    }

    /// What was sealed for the same `bound`.
    pub(crate) fn open(&self, state: &str, bound: &[u8]) -> Result<Vec<u8>, Unopened> {
        let state = URL_SAFE_NO_PAD.decode(state).map_err(|_| Unopened::Malformed)?;
        let (&format, rest) = state.split_first().ok_or(Unopened::Malformed)?;
        let (nonce, sealed) = rest.split_first_chunk::<NONCE>().ok_or(Unopened::Malformed)?;
        if format != FORMAT {
            return Err(Unopened::Malformed);
        }
        let nonce = XNonce::from(*nonce);
        let open = |cipher: &XChaCha20Poly1305| cipher.decrypt(&nonce, Payload { msg: sealed, aad: bound }).ok();
        let message = self.ciphers.iter().find_map(open).ok_or(Unopened::Foreign)?;
        let (expiry, payload) = message.split_first_chunk::<EXPIRY>().ok_or(Unopened::Malformed)?;
        if u64::from_be_bytes(*expiry) <= self.now() {
            return Err(Unopened::Expired);
        }
        Ok(payload.to_vec())
    }

    /// Seconds since 1970. A clock that stands before it lets nothing expire early.
    fn now(&self) -> u64 {
        (self.clock)().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
    }
}

impl fmt::Display for Unopened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "it is not in the form of a state",
            Self::Foreign => {
                "no key opens it for this request: changed, sealed with other keys, or sealed for another request"
            }
            Self::Expired => "it has expired",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealer(keys: &[u8], now: u64) -> Sealer {
        let keys: Vec<_> = keys.iter().map(|&key| StateKey::from_bytes([key; KEY])).collect();
        let clock: Clock = Arc::new(move || UNIX_EPOCH + Duration::from_secs(now));
        Sealer::new(&keys, Duration::from_secs(600), clock)
    }

    #[test]
    fn what_is_sealed_opens_for_the_same_request_until_it_expires() {
        let state = sealer(&[1], 1000).seal(b"{}", b"call").expect("sealed");
        assert_eq!(sealer(&[1], 1599).open(&state, b"call"), Ok(b"{}".to_vec()));
        assert_eq!(sealer(&[1], 1600).open(&state, b"call"), Err(Unopened::Expired));
        assert_eq!(sealer(&[1], 1000).open(&state, b"other"), Err(Unopened::Foreign));
    }

    #[test]
    fn keys_rotate_the_first_seals_and_all_open() {
        let old = sealer(&[1], 0).seal(b"{}", b"").expect("sealed");
        let new = sealer(&[2, 1], 0).seal(b"{}", b"").expect("sealed");
        assert!(sealer(&[2, 1], 0).open(&old, b"").is_ok());
        assert_eq!(sealer(&[1], 0).open(&new, b""), Err(Unopened::Foreign));
        assert_eq!(sealer(&[2], 0).open(&old, b""), Err(Unopened::Foreign));
    }

    #[test]
    fn no_character_can_be_changed_taken_away_or_added() {
        let sealer = sealer(&[1], 0);
        let state = sealer.seal(b"{}", b"").expect("sealed");
        for index in 0..state.len() {
            let (before, after) = (&state[..index], &state[index + 1..]);
            for changed in ["A", "B", "_", "=", "é", ""] {
                let changed = format!("{before}{changed}{after}");
                assert!(changed == state || sealer.open(&changed, b"").is_err(), "{changed}");
            }
        }
        assert!(sealer.open(&format!("{state}A"), b"").is_err());
    }

    #[test]
    fn keys_read_as_hexadecimal_and_never_show() {
        let key: StateKey = "0f".repeat(32).parse().expect("a key");
        assert_eq!(key, StateKey::from_bytes([0x0f; KEY]));
        assert_eq!(format!("{key:?}"), "StateKey(…)");
        for bad in ["", "0f", &"0g".repeat(32), &"0f".repeat(33)] {
            assert!(bad.parse::<StateKey>().is_err(), "{bad}");
        }
    }
}
