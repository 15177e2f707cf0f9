use std::fmt;

use jsonwebtoken::DecodingKey;
use jsonwebtoken::crypto::aws_lc::DEFAULT_PROVIDER;
use serde::Deserialize;
use serde_json::value::RawValue;

/// How tokens may be signed.
///
/// spec: RFC 7518, section 3.1; RFC 8037
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// RSA (PKCS #1 1.5) with SHA-256.
    Rs256,
    /// RSA (PKCS #1 1.5) with SHA-384.
    Rs384,
    /// RSA (PKCS #1 1.5) with SHA-512.
    Rs512,
    /// RSA (PSS) with SHA-256.
    Ps256,
    /// RSA (PSS) with SHA-384.
    Ps384,
    /// RSA (PSS) with SHA-512.
    Ps512,
    /// ECDSA on P-256.
    Es256,
    /// ECDSA on P-384.
    Es384,
    /// Ed25519.
    EdDsa,
    /// HMAC with SHA-256; takes a secret.
    Hs256,
    /// HMAC with SHA-384; takes a secret.
    Hs384,
    /// HMAC with SHA-512; takes a secret.
    Hs512,
}

use Algorithm::{EdDsa, Es256, Es384, Hs256, Hs384, Hs512, Ps256, Ps384, Ps512, Rs256, Rs384, Rs512};

const RSA: [Algorithm; 6] = [Rs256, Rs384, Rs512, Ps256, Ps384, Ps512];
const HMAC: [Algorithm; 3] = [Hs256, Hs384, Hs512];

impl Algorithm {
    /// By its name in a token or a key. `none` is no algorithm.
    pub(super) fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "RS256" => Rs256,
            "RS384" => Rs384,
            "RS512" => Rs512,
            "PS256" => Ps256,
            "PS384" => Ps384,
            "PS512" => Ps512,
            "ES256" => Es256,
            "ES384" => Es384,
            "EdDSA" | "Ed25519" => EdDsa,
            "HS256" => Hs256,
            "HS384" => Hs384,
            "HS512" => Hs512,
            _ => return None,
        })
    }

    /// All that take a secret, or all that take a public key.
    pub(super) fn all_that(symmetric: bool) -> Vec<Self> {
        if symmetric { HMAC.to_vec() } else { RSA.into_iter().chain([Es256, Es384, EdDsa]).collect() }
    }

    pub(super) fn is_symmetric(self) -> bool {
        HMAC.contains(&self)
    }

    fn backend(self) -> jsonwebtoken::Algorithm {
        use jsonwebtoken::Algorithm as Backend;
        match self {
            Rs256 => Backend::RS256,
            Rs384 => Backend::RS384,
            Rs512 => Backend::RS512,
            Ps256 => Backend::PS256,
            Ps384 => Backend::PS384,
            Ps512 => Backend::PS512,
            Es256 => Backend::ES256,
            Es384 => Backend::ES384,
            EdDsa => Backend::EdDSA,
            Hs256 => Backend::HS256,
            Hs384 => Backend::HS384,
            Hs512 => Backend::HS512,
        }
    }
}

/// Keys that signatures are checked with.
#[derive(Debug)]
pub(super) struct KeySet(Vec<Key>);

pub(super) struct Key {
    id: Option<String>,
    /// Those of its own kind, and of these the one that it is for if it says so.
    algorithms: Vec<Algorithm>,
    key: DecodingKey,
}

/// So many keys of a set are looked at.
const MAX_KEYS: usize = 100;

#[derive(Deserialize)]
struct Jwks {
    keys: Vec<Box<RawValue>>,
}

/// spec: RFC 7517, section 4; RFC 7518, section 6
#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    key_ops: Option<Vec<String>>,
    alg: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl KeySet {
    /// The keys of a JSON Web Key Set that signatures can be checked with; others are left aside.
    pub(super) fn parse(json: &[u8]) -> Result<Self, String> {
        let jwks: Jwks = serde_json::from_slice(json).map_err(|error| format!("this is no key set: {error}"))?;
        // One that can't be read is left aside like one that can't be used.
        let read = |raw: &RawValue| serde_json::from_str::<Jwk>(raw.get()).ok().and_then(Key::public);
        let keys: Vec<Key> = jwks.keys.iter().take(MAX_KEYS).filter_map(|raw| read(raw)).collect();
        if keys.is_empty() {
            Err("the key set has no public key that signatures can be checked with".into())
        } else {
            Ok(Self(keys))
        }
    }

    pub(super) fn secret(secret: &[u8]) -> Result<Self, String> {
        if secret.len() < 32 {
            return Err("the secret is too short: take 32 random bytes or more".into());
        }
        let key = DecodingKey::from_secret(secret).map_err(|error| format!("the secret can't be used: {error}"))?;
        Ok(Self(vec![Key { id: None, algorithms: HMAC.to_vec(), key }]))
    }

    /// The keys that may have made a signature.
    pub(super) fn candidates(&self, id: Option<&str>, algorithm: Algorithm) -> impl Iterator<Item = &Key> {
        // A token that names no key may be signed with any, and a key without a name may be any.
        let fits = move |key: &&Key| match (&key.id, id) {
            (Some(key), Some(id)) => key == id,
            _ => true,
        };
        self.0.iter().filter(move |key| key.algorithms.contains(&algorithm)).filter(fits)
    }

    /// Whether there is a key of this very name, or any where none is named.
    pub(super) fn has(&self, id: Option<&str>, algorithm: Algorithm) -> bool {
        self.candidates(id, algorithm).next().is_some()
    }
}

impl Key {
    fn public(jwk: Jwk) -> Option<Self> {
        let for_signatures = jwk.usage.as_deref().is_none_or(|usage| usage == "sig")
            && jwk.key_ops.as_ref().is_none_or(|operations| operations.iter().any(|operation| operation == "verify"));
        if !for_signatures {
            return None;
        }
        // A symmetric key (`oct`) is no public one: with it, whatever is published could sign.
        let (kind, key) = match (jwk.kty.as_str(), jwk.crv.as_deref()) {
            ("RSA", _) => (&RSA[..], DecodingKey::from_rsa_components(&jwk.n?, &jwk.e?)),
            ("EC", Some("P-256")) => (&[Es256][..], DecodingKey::from_ec_components(&jwk.x?, &jwk.y?)),
            ("EC", Some("P-384")) => (&[Es384][..], DecodingKey::from_ec_components(&jwk.x?, &jwk.y?)),
            ("OKP", Some("Ed25519")) => (&[EdDsa][..], DecodingKey::from_ed_components(&jwk.x?)),
            _ => return None,
        };
        let algorithms = match &jwk.alg {
            None => kind.to_vec(),
            Some(name) => vec![Algorithm::of_name(name).filter(|algorithm| kind.contains(algorithm))?],
        };
        Some(Self { id: jwk.kid, algorithms, key: key.ok()? })
    }

    /// Whether this key made the signature.
    pub(super) fn confirms(&self, algorithm: Algorithm, message: &[u8], signature: &[u8]) -> bool {
        // The backend is named rather than looked up: which one the process has by default is not for others to decide.
        (DEFAULT_PROVIDER.verifier_factory)(&algorithm.backend(), &self.key)
            .is_ok_and(|verifier| verifier.verify(message, &signature.to_vec()).is_ok())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("id", &self.id).field("algorithms", &self.algorithms).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EC: &str = r#""kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0""#;

    fn parsed(members: &str) -> Option<Vec<Algorithm>> {
        let set = KeySet::parse(format!(r#"{{"keys":[{{{members}}}]}}"#).as_bytes()).ok()?;
        Some(set.0.into_iter().flat_map(|key| key.algorithms).collect())
    }

    #[test]
    fn a_key_is_for_algorithms_of_its_own_kind_and_for_signatures() {
        assert_eq!(parsed(EC), Some(vec![Es256]));
        assert_eq!(parsed(&format!(r#"{EC},"use":"sig","key_ops":["verify"],"alg":"ES256""#)), Some(vec![Es256]));
        for unfit in [
            &format!(r#"{EC},"use":"enc""#),
            &format!(r#"{EC},"key_ops":["encrypt"]"#),
            &format!(r#"{EC},"alg":"HS256""#),
            &format!(r#"{EC},"alg":"none""#),
            &format!(r#"{EC},"alg":"ES384""#),
            r#""kty":"oct","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA""#,
            r#""kty":"oct","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","alg":"HS256""#,
            r#""kty":"EC","crv":"P-256","x":"f83O""#,
            r#""kty":"new""#,
            "",
        ] {
            assert_eq!(parsed(unfit), None, "{unfit}");
        }
        assert!(KeySet::parse(b"{}").is_err() && KeySet::parse(b"[]").is_err());
        // What can't be read keeps nobody from using the rest.
        let set = KeySet::parse(format!(r#"{{"keys":[5,{{"kty":7}},{{{EC},"kid":"a"}}]}}"#).as_bytes()).expect("a set");
        assert!(
            set.has(Some("a"), Es256) && !set.has(Some("b"), Es256) && set.has(None, Es256) && !set.has(None, Rs256)
        );
    }

    #[test]
    fn a_secret_is_long_and_never_shown() {
        assert!(KeySet::secret(&[7; 31]).is_err());
        let set = KeySet::secret(b"a secret of more than 32 bytes, as it should be").expect("a set");
        assert!(set.has(None, Hs256) && !set.has(None, Rs256));
        assert!(!format!("{set:?}").contains("secret of"), "{set:?}");
    }
}
