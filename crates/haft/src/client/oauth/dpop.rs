//! Tokens bound to a key: a proof goes with each request, signed for it alone.
//!
//! spec: RFC 9449

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use reqwest::Url;
use serde_json::{Value, json};

use super::jws::{base64url, random, sha256, sign};
use super::secret::Secret;

/// The header of a proof.
pub(super) const DPOP: HeaderName = HeaderName::from_static("dpop");
/// The header of a server's nonce.
const NONCE: HeaderName = HeaderName::from_static("dpop-nonce");
/// The algorithm of the proofs.
pub(super) const ALGORITHM: &str = "ES256";

/// When tokens are bound to a key of this client's (DPoP, RFC 9449), so that a stolen one is of no use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dpop {
    /// Where the MCP server asks for it: by a challenge of the scheme `DPoP`, or in its metadata.
    #[default]
    WhenAsked,
    /// Always; a token that isn't bound is refused.
    Required,
    /// Never.
    Off,
}

/// The key that tokens are bound to.
pub(super) struct DpopKey {
    pair: EcdsaKeyPair,
    jwk: Value,
}

impl DpopKey {
    pub(super) fn generate() -> Result<Self, String> {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING);
        pair.ok().and_then(Self::new).ok_or_else(|| "there is no key to be had for DPoP".to_owned())
    }

    /// The key that was stored.
    pub(super) fn restore(stored: &Secret) -> Option<Self> {
        let der = URL_SAFE_NO_PAD.decode(stored.expose()).ok()?;
        Self::new(EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &der).ok()?)
    }

    pub(super) fn to_store(&self) -> Result<Secret, String> {
        let der = self.pair.to_pkcs8v1().map_err(|_| "the key for DPoP can't be stored".to_owned())?;
        Ok(Secret::new(base64url(der)))
    }

    fn new(pair: EcdsaKeyPair) -> Option<Self> {
        // An uncompressed point: 4, then both coordinates of 32 bytes.
        let point = pair.public_key().as_ref();
        let (x, y) = (point.get(1..33)?, point.get(33..65)?);
        let jwk = json!({"kty": "EC", "crv": "P-256", "x": base64url(x), "y": base64url(y)});
        Some(Self { pair, jwk })
    }

    /// The proof for one request, with the token that goes with it.
    ///
    /// spec: RFC 9449, section 4.2
    pub(super) fn proof(
        &self,
        method: &Method,
        url: &Url,
        token: Option<&Secret>,
        nonce: Option<&str>,
    ) -> Result<HeaderValue, String> {
        let mut target = url.clone();
        target.set_query(None);
        target.set_fragment(None);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let mut claims = json!({"jti": random()?, "htm": method.as_str(), "htu": target.as_str(), "iat": now});
        if let Some(token) = token {
            claims["ath"] = base64url(sha256(token.expose().as_bytes())).into();
        }
        if let Some(nonce) = nonce {
            claims["nonce"] = nonce.into();
        }
        let header = json!({"typ": "dpop+jwt", "alg": ALGORITHM, "jwk": self.jwk});
        let proof = sign(&header, &claims, |message| {
            self.pair.sign(&SystemRandom::new(), message).ok().map(|signature| signature.as_ref().to_vec())
        });
        proof
            .and_then(|proof| HeaderValue::try_from(proof).ok())
            .ok_or_else(|| "no DPoP proof can be signed".to_owned())
    }
}

/// The latest nonce of each origin.
#[derive(Default)]
pub(super) struct Nonces(Mutex<HashMap<String, String>>);

impl Nonces {
    /// Origins that are remembered; past that, all are forgotten, which costs a round trip each.
    const MOST: usize = 64;
    /// The longest nonce that is taken.
    const LONGEST: usize = 512;

    pub(super) fn get(&self, url: &Url) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&origin(url)).cloned()
    }

    /// Keeps the nonce of an answer; true if it is a new one.
    pub(super) fn keep(&self, url: &Url, headers: &HeaderMap) -> bool {
        let nonce = headers.get(NONCE).and_then(|nonce| nonce.to_str().ok());
        let Some(nonce) = nonce.filter(|nonce| !nonce.is_empty() && nonce.len() <= Self::LONGEST) else { return false };
        let mut nonces = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if nonces.len() >= Self::MOST {
            nonces.clear();
        }
        nonces.insert(origin(url), nonce.to_owned()).as_deref() != Some(nonce)
    }
}

fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}
