//! Keys that sign, and what they sign: assertions (RFC 7523) and proofs (RFC 9449).

use std::fmt;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeyPair as RsaKeyPair;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, RSA_PKCS1_SHA256,
};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Map, Value};

use super::config::OAuthConfigError;

/// A private key that a client signs its assertions with.
///
/// Its kind decides the algorithm: `ES256` and `ES384` for keys on P-256 and P-384, `EdDSA` for Ed25519, `RS256` for RSA.
pub struct SigningKey {
    pair: Pair,
    id: Option<String>,
}

enum Pair {
    P256(EcdsaKeyPair),
    P384(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    Rsa(RsaKeyPair),
}

impl SigningKey {
    /// A key in PEM, as PKCS #8 (`-----BEGIN PRIVATE KEY-----`).
    ///
    /// # Errors
    /// When it is something else, or a key of a kind that there is no algorithm for.
    pub fn from_pem(pem: &str) -> Result<Self, OAuthConfigError> {
        let wrong = |what: &str| OAuthConfigError::new(format!("the signing key {what}"));
        let (_, rest) = pem
            .split_once("-----BEGIN PRIVATE KEY-----")
            .ok_or_else(|| wrong("isn't PKCS #8 in PEM: it has no line `-----BEGIN PRIVATE KEY-----`"))?;
        let (body, _) = rest
            .split_once("-----END PRIVATE KEY-----")
            .ok_or_else(|| wrong("isn't whole: it has no line `-----END PRIVATE KEY-----`"))?;
        let base64: String = body.split_whitespace().collect();
        let der = STANDARD.decode(base64).map_err(|_| wrong("isn't PEM: what it holds is no base64"))?;
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &der)
            .map(Pair::P256)
            .or_else(|_| EcdsaKeyPair::from_pkcs8(&ECDSA_P384_SHA384_FIXED_SIGNING, &der).map(Pair::P384))
            .or_else(|_| Ed25519KeyPair::from_pkcs8(&der).map(Pair::Ed25519))
            .or_else(|_| RsaKeyPair::from_pkcs8(&der).map(Pair::Rsa));
        let pair = pair.map_err(|_| wrong("is of no kind that is known here: take P-256, P-384, Ed25519 or RSA"))?;
        Ok(Self { pair, id: None })
    }

    /// Names the key in what it signs (`kid`), for servers that know several of this client's.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    pub(super) fn algorithm(&self) -> &'static str {
        match self.pair {
            Pair::P256(_) => "ES256",
            Pair::P384(_) => "ES384",
            Pair::Ed25519(_) => "EdDSA",
            Pair::Rsa(_) => "RS256",
        }
    }

    /// Signs claims; None where the library of cryptography fails.
    pub(super) fn sign(&self, claims: &Value) -> Option<String> {
        let mut header = Map::new();
        header.insert("alg".into(), self.algorithm().into());
        header.insert("typ".into(), "JWT".into());
        if let Some(id) = &self.id {
            header.insert("kid".into(), id.as_str().into());
        }
        sign(&Value::Object(header), claims, |message| match &self.pair {
            Pair::P256(pair) | Pair::P384(pair) => {
                pair.sign(&SystemRandom::new(), message).ok().map(|signature| signature.as_ref().to_vec())
            }
            Pair::Ed25519(pair) => pair.try_sign(message).ok().map(|signature| signature.as_ref().to_vec()),
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature).ok().map(|()| signature)
            }
        })
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("algorithm", &self.algorithm()).field("id", &self.id).finish_non_exhaustive()
    }
}

/// spec: RFC 7515, section 7.1
pub(super) fn sign(header: &Value, claims: &Value, sign: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Option<String> {
    let mut token = format!("{}.{}", base64url(header.to_string()), base64url(claims.to_string()));
    let signature = sign(token.as_bytes())?;
    token.push('.');
    token.push_str(&base64url(signature));
    Some(token)
}

pub(super) fn base64url(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

pub(super) fn sha256(bytes: &[u8]) -> impl AsRef<[u8]> {
    aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, bytes)
}

/// Text with 256 bits that nobody can guess, of the characters that verifiers, states and identifiers may have.
pub(super) fn random() -> Result<String, String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| format!("the system has no random numbers: {error}"))?;
    Ok(base64url(bytes))
}
