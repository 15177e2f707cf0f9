//! What the provider sends, at whichever process it arrives: checked, then handed to the listener.
//!
//! `Dialer-Signature: t=1800000000,v1=<hex>`, where `v1` is the HMAC-SHA256 of the time in seconds, a full stop and the
//! body. A request that is older or younger than five minutes isn't taken; within them a repeated one does nothing, since
//! events are numbered.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::provider::{Doing, Listener, Notice, Told};

/// The header.
pub(crate) const HEADER: &str = "dialer-signature";
/// How far the sender's clock may be off, and for how long a request can be used.
const WINDOW: u64 = 300;

/// What both sides know. Its `Debug` doesn't tell.
#[derive(Clone)]
pub(crate) struct Secret(Vec<u8>);

impl Secret {
    pub(crate) fn new(secret: impl Into<Vec<u8>>) -> Self {
        Self(secret.into())
    }

    fn mac(&self, time: u64, body: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(time.to_string().as_bytes());
        mac.update(b".");
        mac.update(body);
        Some(mac)
    }

    /// The header's value for this body, sent now.
    pub(crate) fn sign(&self, now: u64, body: &[u8]) -> String {
        let tag = self.mac(now, body).map(|mac| mac.finalize().into_bytes().to_vec()).unwrap_or_default();
        format!("t={now},v1={}", data_encoding::HEXLOWER.encode(&tag))
    }

    /// Whether whoever sent this knows the secret, and sent it now. Compared in constant time.
    pub(crate) fn is_signed(&self, header: &str, now: u64, body: &[u8]) -> bool {
        let (mut time, mut tag) = (None, None);
        for part in header.split(',') {
            match part.trim().split_once('=') {
                Some(("t", value)) => time = value.parse::<u64>().ok(),
                Some(("v1", value)) => tag = data_encoding::HEXLOWER.decode(value.as_bytes()).ok(),
                _ => {}
            }
        }
        let (Some(time), Some(tag)) = (time, tag) else { return false };
        let signed = self.mac(time, body).is_some_and(|mac| mac.verify_slice(&tag).is_ok());
        signed && time.abs_diff(now) <= WINDOW
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

/// Seconds since 1970, as signatures count them: of the system, whatever the rules take for the time.
pub(crate) fn seconds_now() -> u64 {
    u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or_default()
}

/// Tells by webhook, as a provider elsewhere would.
pub(crate) struct Webhook {
    client: reqwest::Client,
    url: String,
    secret: Secret,
}

impl Webhook {
    /// To this URL, `http:` only.
    pub(crate) fn new(url: String, secret: Secret) -> Self {
        Self { client: reqwest::Client::new(), url, secret }
    }

    async fn send(&self, notice: &Notice) -> Result<Told, Box<dyn std::error::Error + Send + Sync>> {
        let body = serde_json::to_vec(notice)?;
        let signature = self.secret.sign(seconds_now(), &body);
        let request = self.client.post(&self.url).header(HEADER, signature).timeout(std::time::Duration::from_secs(5));
        let response = request.body(body).send().await?;
        Ok(match response.status().as_u16() {
            200..=299 => Told::GoOn,
            // As the endpoint says of a call that is over, or that nobody knows.
            404 | 410 => Told::HangUp,
            _ => Told::Again,
        })
    }
}

impl Listener for Webhook {
    fn tell<'a>(&'a self, notice: &'a Notice) -> Doing<'a, Told> {
        Box::pin(async move {
            self.send(notice).await.unwrap_or_else(|error| {
                tracing::debug!(error, "the webhook was not reached");
                Told::Again
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_signed_now_and_with_the_secret_counts() {
        let (secret, body) = (Secret::new("s3cret"), b"{\"number\":1}");
        let header = secret.sign(1_800_000_000, body);
        for (now, taken) in
            [(1_800_000_000, true), (1_800_000_300, true), (1_800_000_301, false), (1_799_999_699, false)]
        {
            assert_eq!(secret.is_signed(&header, now, body), taken, "{now}");
        }
        assert!(!secret.is_signed(&header, 1_800_000_000, b"{\"number\":2}"), "another body");
        assert!(!Secret::new("other").is_signed(&header, 1_800_000_000, body), "another secret");
        let later = header.replace("t=1800000000", "t=1800000100");
        assert!(!secret.is_signed(&later, 1_800_000_100, body), "another time");
        for bad in ["", "t=1800000000", "v1=00", "t=1800000000,v1=", "t=1800000000,v1=zz", &header[..header.len() - 2]]
        {
            assert!(!secret.is_signed(bad, 1_800_000_000, body), "{bad}");
        }
    }

    #[test]
    fn the_signature_is_the_one_that_others_compute() {
        // echo -n '1800000000.{}' | openssl dgst -sha256 -hmac key
        let header = Secret::new("key").sign(1_800_000_000, b"{}");
        assert_eq!(header, "t=1800000000,v1=7321475872b03ff21bdc2dfd86ea2d99ec29c479fbe4a77aa6acf4509505493f");
    }
}
