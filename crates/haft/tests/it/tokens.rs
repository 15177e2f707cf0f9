//! A server protected by an authorization server: tokens that are JWTs, and the keys that they are signed with.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair,
};
use aws_lc_rs::{hmac, rsa::KeySize};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use haft::prelude::*;
use haft::{Algorithm, Caller, HttpOptions, JwtVerifier, JwtVerifierBuilder, ProtectedResource};
use serde_json::{Value, json};

use crate::logs::logged_from;
use crate::post::{Answer, Post, Served};
use crate::wire::text;

const AUDIENCE: &str = "https://mcp.example.com/mcp";

fn b64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// What an authorization server signs with.
enum Signer {
    Ec(EcdsaKeyPair),
    Rsa(RsaKeyPair),
    Ed(Ed25519KeyPair),
}

impl Signer {
    fn ec() -> Self {
        Self::Ec(EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap())
    }

    fn rsa() -> Self {
        Self::Rsa(RsaKeyPair::generate(KeySize::Rsa2048).unwrap())
    }

    fn ed() -> Self {
        Self::Ed(Ed25519KeyPair::generate().unwrap())
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Self::Ec(_) => "ES256",
            Self::Rsa(_) => "RS256",
            Self::Ed(_) => "EdDSA",
        }
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::Ec(key) => key.sign(&SystemRandom::new(), message).unwrap().as_ref().to_vec(),
            Self::Rsa(key) => {
                let mut signature = vec![0; key.public_modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature).unwrap();
                signature
            }
            Self::Ed(key) => key.sign(message).as_ref().to_vec(),
        }
    }

    /// The bytes of its public key, as anybody has them.
    fn public(&self) -> Vec<u8> {
        match self {
            Self::Ec(key) => key.public_key().as_ref().to_vec(),
            Self::Rsa(key) => key.public_key().as_ref().to_vec(),
            Self::Ed(key) => key.public_key().as_ref().to_vec(),
        }
    }

    fn jwk(&self, kid: &str) -> Value {
        let public = self.public();
        match self {
            Self::Ec(_) => {
                json!({"kty": "EC", "crv": "P-256", "kid": kid, "use": "sig", "x": b64(&public[1..33]), "y": b64(&public[33..])})
            }
            Self::Rsa(key) => {
                let (n, e) = (key.public_key().modulus(), key.public_key().exponent());
                let (n, e) = (n.big_endian_without_leading_zero(), e.big_endian_without_leading_zero());
                json!({"kty": "RSA", "kid": kid, "alg": "RS256", "n": b64(n), "e": b64(e)})
            }
            Self::Ed(_) => json!({"kty": "OKP", "crv": "Ed25519", "kid": kid, "x": b64(public)}),
        }
    }

    fn token(&self, kid: &str, claims: &Value) -> String {
        self.token_with(json!({"alg": self.algorithm(), "typ": "at+jwt", "kid": kid}), claims)
    }

    fn token_with(&self, header: Value, claims: &Value) -> String {
        let message = format!("{}.{}", b64(header.to_string()), b64(claims.to_string()));
        format!("{message}.{}", b64(self.sign(message.as_bytes())))
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// A little authorization server, on a socket: metadata, keys, and tokens for whoever asks.
struct Authority {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    pages: Mutex<HashMap<String, (u16, String)>>,
    /// How often each path was asked for.
    asked: Mutex<HashMap<String, usize>>,
    down: AtomicBool,
    stop: AtomicBool,
    signer: Mutex<Option<(String, Signer)>>,
}

impl Authority {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let this = Self { address, shared: Arc::clone(&shared) };
        let issuer = this.issuer();
        let metadata = json!({
            "issuer": issuer,
            "jwks_uri": format!("{issuer}/jwks"),
            "token_endpoint": format!("{issuer}/token"),
        });
        this.page("/.well-known/oauth-authorization-server", 200, metadata.to_string());
        this.rotate("one", Signer::ec());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.stop.load(Ordering::SeqCst) {
                    return;
                }
                shared.answer(stream.unwrap());
            }
        });
        this
    }

    fn issuer(&self) -> String {
        format!("http://{}", self.address)
    }

    fn page(&self, path: &str, status: u16, body: impl Into<String>) {
        self.shared.pages.lock().unwrap().insert(path.to_owned(), (status, body.into()));
    }

    fn keys(&self, keys: &[Value]) {
        self.page("/jwks", 200, json!({"keys": keys}).to_string());
    }

    /// Signs with this key from now on, and publishes no other.
    fn rotate(&self, kid: &str, signer: Signer) {
        self.keys(&[signer.jwk(kid)]);
        *self.shared.signer.lock().unwrap() = Some((kid.to_owned(), signer));
    }

    fn down(&self, down: bool) {
        self.shared.down.store(down, Ordering::SeqCst);
    }

    fn asked(&self, path: &str) -> usize {
        self.shared.asked.lock().unwrap().get(path).copied().unwrap_or_default()
    }

    fn claims(&self) -> Value {
        json!({"iss": self.issuer(), "sub": "ada", "aud": AUDIENCE, "exp": now() + 300, "client_id": "app", "scope": "orders:read"})
    }

    fn claims_with(&self, changes: Value) -> Value {
        let mut claims = self.claims();
        claims.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        claims.as_object_mut().unwrap().retain(|_, value| *value != json!("absent"));
        claims
    }

    /// A token signed with the key of today.
    fn token(&self, claims: &Value) -> String {
        let signer = self.shared.signer.lock().unwrap();
        let (kid, signer) = signer.as_ref().unwrap();
        signer.token(kid, claims)
    }

    /// A request to it, as any client makes it.
    fn ask(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.write_all(format!("{request} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).unwrap();
        Answer::read(stream)
    }

    fn verifier(&self) -> JwtVerifierBuilder {
        JwtVerifier::builder(self.issuer()).audience(AUDIENCE).refetch_after(Duration::ZERO)
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address));
    }
}

impl Shared {
    fn answer(&self, mut stream: TcpStream) {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read == 1) {
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        let mut words = head.split(' ');
        let (Some(method), Some(target)) = (words.next(), words.next()) else { return };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        *self.asked.lock().unwrap().entry(path.to_owned()).or_default() += 1;
        if self.down.load(Ordering::SeqCst) {
            return;
        }
        let (status, body) = match (method, path) {
            ("POST", "/token") => (200, self.issue(query)),
            _ => self.pages.lock().unwrap().get(path).cloned().unwrap_or((404, String::new())),
        };
        let location = if status == 302 { format!("Location: {body}\r\n") } else { String::new() };
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{location}Content-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        drop(stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()));
    }

    /// A token for the scopes and the resource that are asked for.
    fn issue(&self, query: &str) -> String {
        let get = |name: &str| {
            let value = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")));
            value.unwrap_or_default().replace('+', " ")
        };
        let claims = json!({
            "iss": get("iss"), "sub": "ada", "aud": [get("resource")], "exp": now() + 300, "scope": get("scope"),
        });
        let signer = self.signer.lock().unwrap();
        let (kid, signer) = signer.as_ref().unwrap();
        json!({"access_token": signer.token(kid, &claims)}).to_string()
    }
}

/// Use this to read an order.
#[tool(read_only, closed_world, scopes("orders:read"))]
async fn read_order() -> &'static str {
    "A-1001"
}

/// Use this to cancel an order.
#[tool(destructive, closed_world, scopes("orders:write", listed))]
async fn cancel_order(#[extract] caller: Caller) -> String {
    format!("{} {:?} {}", caller.subject(), caller.scopes().collect::<Vec<_>>(), caller.claims().len())
}

fn served(authority: &Authority, verifier: JwtVerifier) -> Served {
    let server = Server::new("orders", "1.0.0").tool(read_order::tool()).tool(cancel_order::tool()).build().unwrap();
    let resource =
        ProtectedResource::new(AUDIENCE).authorization_server(authority.issuer()).initial_scopes(["orders:read"]);
    Served::new(server, HttpOptions::new().authenticate(verifier).protected_resource(resource))
}

fn call(tool: &str) -> Post {
    Post::call(tool, json!({}))
}

/// A parameter of a challenge.
fn parameter(answer: &Answer, name: &str) -> String {
    let challenge = answer.header("www-authenticate").unwrap_or_else(|| panic!("no challenge: {answer:?}"));
    let (_, rest) = challenge.split_once(&format!("{name}=\"")).unwrap_or_else(|| panic!("no {name}: {challenge}"));
    rest.split('"').next().unwrap().to_owned()
}

#[test]
fn a_client_finds_its_way_from_a_refusal_to_a_call_and_to_more_scopes() {
    let authority = Authority::new();
    let served = served(&authority, authority.verifier().build().unwrap());
    let refused = served.ask(&call("read_order"));
    assert_eq!(refused.status, 401);
    let metadata = parameter(&refused, "resource_metadata");
    let path = metadata.strip_prefix("https://mcp.example.com").unwrap();
    let resource = served.ask(&Post::raw("").line(&format!("GET {path}"))).json();
    assert_eq!(resource["resource"], AUDIENCE);
    let issuer = resource["authorization_servers"][0].as_str().unwrap();
    let metadata = authority.ask("GET /.well-known/oauth-authorization-server").json();
    assert_eq!(metadata["issuer"], issuer);
    let token = |scope: &str| {
        let scope = scope.replace(' ', "+");
        let answer = authority.ask(&format!("POST /token?iss={issuer}&resource={AUDIENCE}&scope={scope}")).json();
        answer["access_token"].as_str().unwrap().to_owned()
    };
    let first = token(&parameter(&refused, "scope"));
    assert_eq!(text(&served.ask(&call("read_order").token(&first)).json()), "A-1001");

    let refused = served.ask(&call("cancel_order").token(&first));
    assert_eq!((refused.status, &*parameter(&refused, "error")), (403, "insufficient_scope"));
    assert_eq!(parameter(&refused, "scope"), "orders:write orders:read");
    let more = token(&parameter(&refused, "scope"));
    let done = served.ask(&call("cancel_order").token(&more)).json();
    assert_eq!(text(&done), r#"ada ["orders:write", "orders:read"] 5"#);
    assert_eq!(served.ask(&call("read_order").token(&more)).status, 200);
    assert_eq!(authority.asked("/jwks"), 1);
}

#[test]
fn a_token_that_is_wrong_in_any_way_is_refused() {
    let authority = Authority::new();
    let served = served(&authority, authority.verifier().require_claim("client_id").build().unwrap());
    let (ec, rsa, ed, stranger) = (Signer::ec(), Signer::rsa(), Signer::ed(), Signer::ec());
    authority.keys(&[ec.jwk("ec"), rsa.jwk("rsa"), ed.jwk("ed")]);
    let claims = authority.claims();
    for good in [
        ec.token("ec", &claims),
        rsa.token("rsa", &claims),
        ed.token("ed", &claims),
        ec.token_with(json!({"alg": "ES256"}), &claims),
        ec.token(
            "ec",
            &authority
                .claims_with(json!({"aud": ["x", AUDIENCE], "nbf": now(), "scope": "absent", "scp": ["orders:read"]})),
        ),
        ec.token("ec", &authority.claims_with(json!({"exp": now() - 10, "nbf": now() + 10}))),
    ] {
        let answer = served.ask(&call("read_order").token(&good));
        assert_eq!(answer.status, 200, "{good} {answer:?}");
    }
    let good = ec.token("ec", &claims);
    let (message, signature) = good.rsplit_once('.').unwrap();
    let (header, payload) = message.split_once('.').unwrap();
    let changed = b64(authority.claims_with(json!({"sub": "root"})).to_string());
    // What everybody knows of a key, taken for a secret.
    let confused = |public: &[u8], kid: &str| {
        let message = format!("{}.{payload}", b64(json!({"alg": "HS256", "kid": kid}).to_string()));
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, public), message.as_bytes());
        format!("{message}.{}", b64(tag))
    };
    let with = |changes: Value| ec.token("ec", &authority.claims_with(changes));
    let mut tampered = URL_SAFE_NO_PAD.decode(signature).unwrap();
    tampered[7] ^= 1;
    for bad in [
        with(json!({"aud": "https://other.example/mcp"})),
        with(json!({"aud": format!("{AUDIENCE}/")})),
        with(json!({"aud": "absent"})),
        with(json!({"iss": "https://evil.example"})),
        with(json!({"exp": now() - 60})),
        with(json!({"exp": "absent"})),
        with(json!({"nbf": now() + 60})),
        with(json!({"sub": "absent"})),
        with(json!({"sub": ""})),
        with(json!({"client_id": "absent"})),
        stranger.token("ec", &claims),
        rsa.token("ec", &claims),
        ec.token("rsa", &claims),
        ec.token("nope", &claims),
        format!("{header}.{changed}.{signature}"),
        format!("{message}.{}", b64(tampered)),
        format!("{message}."),
        message.to_owned(),
        format!("{good}."),
        format!("{good}.{signature}"),
        format!("{}.{payload}.", b64(r#"{"alg":"none"}"#)),
        format!("{}.{payload}.{signature}", b64(r#"{"alg":"None","kid":"ec"}"#)),
        confused(&ec.public(), "ec"),
        confused(&rsa.public(), "rsa"),
        confused(&ed.public(), "ed"),
        confused(b"", "ec"),
        ec.token_with(json!({"alg": "ES256", "kid": "ec", "crit": ["b64"], "b64": false}), &claims),
        ec.token_with(json!({"alg": "ES256", "kid": "ec", "typ": "dpop+jwt"}), &claims),
        ec.token_with(json!({"alg": "ES384", "kid": "ec"}), &claims),
        rsa.token_with(json!({"alg": "PS256", "kid": "rsa"}), &claims),
        "x".repeat(20_000),
    ] {
        let answer = served.ask(&call("read_order").token(&bad));
        assert_eq!((answer.status, &*parameter(&answer, "error")), (401, "invalid_token"), "{bad} {answer:?}");
        assert!(!answer.head.contains(&bad) && !answer.body.contains(&bad), "{answer:?}");
    }
}

#[tokio::test]
async fn only_algorithms_that_are_allowed_are_taken() {
    let authority = Authority::new();
    let (ec, rsa) = (Signer::ec(), Signer::rsa());
    authority.keys(&[ec.jwk("ec"), rsa.jwk("rsa")]);
    let verifier = authority.verifier().algorithms([Algorithm::Rs256]).build().unwrap();
    let claims = authority.claims();
    assert!(verifier.verify(&rsa.token("rsa", &claims)).await.is_ok());
    assert!(verifier.verify(&ec.token("ec", &claims)).await.is_err());
    assert_eq!(authority.asked("/jwks"), 1, "no key is looked for that would not be used");
}

#[tokio::test]
async fn keys_that_are_given_are_never_fetched() {
    let authority = Authority::new();
    let ec = Signer::ec();
    let jwks = json!({"keys": [ec.jwk("ec")]}).to_string();
    let verifier = authority.verifier().jwks(jwks).build().unwrap();
    assert!(verifier.verify(&ec.token("ec", &authority.claims())).await.is_ok());
    assert!(verifier.verify(&ec.token("other", &authority.claims())).await.is_err());

    let secret = b"thirty-two bytes, or a few more!".to_vec();
    let verifier = authority.verifier().secret(secret.clone()).build().unwrap();
    let signed = |secret: &[u8]| {
        let message = format!("{}.{}", b64(r#"{"alg":"HS256"}"#), b64(authority.claims().to_string()));
        format!("{message}.{}", b64(hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), message.as_bytes())))
    };
    assert!(verifier.verify(&signed(&secret)).await.is_ok());
    assert!(verifier.verify(&signed(b"thirty-two bytes, or a few less!")).await.is_err());
    assert!(verifier.verify(&ec.token("ec", &authority.claims())).await.is_err());
    assert_eq!(authority.asked("/jwks"), 0);
}

#[tokio::test]
async fn a_key_that_is_new_is_fetched_once() {
    let authority = Authority::new();
    let verifier = authority.verifier().build().unwrap();
    let old = authority.token(&authority.claims());
    assert!(verifier.verify(&old).await.is_ok());
    authority.rotate("two", Signer::ec());
    let new = authority.token(&authority.claims());
    assert!(verifier.verify(&new).await.is_ok());
    assert!(verifier.verify(&old).await.is_err(), "a key that was taken back is none any more");
    assert_eq!(authority.asked("/jwks"), 3);
}

#[tokio::test]
async fn a_flood_of_unknown_keys_costs_one_fetch() {
    let authority = Authority::new();
    let verifier = authority.verifier().refetch_after(Duration::from_secs(3600)).build().unwrap();
    let signer = Signer::ec();
    let unknown: Vec<_> = (0..200).map(|n| signer.token(&format!("k{n}"), &authority.claims())).collect();
    let refused = futures_util::future::join_all(unknown.iter().map(|token| verifier.verify(token))).await;
    assert!(refused.iter().all(Result::is_err));
    assert_eq!(authority.asked("/jwks"), 1);
    assert!(verifier.verify(&authority.token(&authority.claims())).await.is_ok());
}

#[test]
fn while_keys_cannot_be_had_nobody_is_let_in_on_trust() {
    let authority = Authority::new();
    let served = served(&authority, authority.verifier().refresh_after(Duration::ZERO).build().unwrap());
    let ask = |token: &str| served.ask(&call("read_order").token(token)).status;
    let token = authority.token(&authority.claims());
    authority.down(true);
    assert_eq!(ask(&token), 503, "no keys at all");
    authority.down(false);
    assert_eq!(ask(&token), 200);
    authority.down(true);
    for _ in 0..3 {
        assert_eq!(ask(&token), 200, "keys that are there go on being used");
    }
    let other = Signer::ec();
    assert_eq!(ask(&other.token("two", &authority.claims())), 503, "it may be a new key");
    assert_eq!(ask(&other.token("one", &authority.claims())), 401, "it is not the old one");
    authority.down(false);
    authority.rotate("two", Signer::ec());
    // The first may have waited for a fetch that began before.
    let token = authority.token(&authority.claims());
    let last = [ask(&token), ask(&token)][1];
    assert_eq!(last, 200);
}

#[tokio::test]
async fn keys_come_from_nowhere_but_the_issuer() {
    let fails = |authority: &Authority, verifier: JwtVerifierBuilder| {
        let (token, verifier) = (authority.token(&authority.claims()), verifier.build().unwrap());
        async move { verifier.verify(&token).await.unwrap_err().to_string() }
    };
    let authority = Authority::new();
    let jwks = authority.shared.pages.lock().unwrap()["/jwks"].1.clone();
    let other = Authority::new();
    other.page("/jwks", 200, jwks.clone());
    // A redirect to elsewhere, or without an end.
    authority.page("/away", 302, format!("{}/jwks", other.issuer()));
    authority.page("/round", 302, "/round");
    authority.page("/near", 302, "/jwks");
    for path in ["/away", "/round"] {
        let verifier = authority.verifier().jwks_url(format!("{}{path}", authority.issuer()));
        assert!(fails(&authority, verifier).await.contains("can't be had"));
    }
    assert_eq!(other.asked("/jwks"), 0);
    let near = authority.verifier().jwks_url(format!("{}/near", authority.issuer())).build().unwrap();
    assert!(near.verify(&authority.token(&authority.claims())).await.is_ok());
    // Documents that are too long, or no key sets.
    authority.page("/long", 200, format!("{jwks}{}", " ".repeat(600 << 10)));
    authority.page("/html", 200, "<html>");
    authority.page("/error", 500, jwks.clone());
    for path in ["/long", "/html", "/error", "/nowhere"] {
        let verifier = authority.verifier().jwks_url(format!("{}{path}", authority.issuer()));
        assert!(fails(&authority, verifier).await.contains("can't be had"), "{path}");
    }
    // Metadata of another issuer counts for nothing; that of OpenID does.
    let metadata = |issuer: &str| json!({"issuer": issuer, "jwks_uri": format!("{}/jwks", other.issuer())}).to_string();
    authority.page("/.well-known/oauth-authorization-server", 200, metadata("https://evil.example"));
    assert!(fails(&authority, authority.verifier()).await.contains("can't be had"));
    authority.page("/.well-known/openid-configuration", 200, metadata(&authority.issuer()));
    assert!(authority.verifier().build().unwrap().verify(&authority.token(&authority.claims())).await.is_ok());
    // Nor do keys that anybody between could have changed.
    let unsafe_keys = json!({"issuer": authority.issuer(), "jwks_uri": "http://keys.example/jwks"}).to_string();
    authority.page("/.well-known/openid-configuration", 200, unsafe_keys);
    assert!(fails(&authority, authority.verifier()).await.contains("can't be had"));
}

#[test]
fn a_verifier_that_could_take_nothing_or_too_much_is_none() {
    let base = || JwtVerifier::builder("https://auth.example.com").audience(AUDIENCE);
    assert!(base().build().is_ok());
    let jwks = json!({"keys": [Signer::ec().jwk("a")]}).to_string();
    for (bad, why) in [
        (JwtVerifier::builder("https://auth.example.com"), "audience"),
        (JwtVerifier::builder("auth.example.com").audience(AUDIENCE), "URL"),
        (JwtVerifier::builder("http://auth.example.com").audience(AUDIENCE), "https"),
        (base().jwks_url("http://auth.example.com/jwks"), "https"),
        (base().jwks_url("/jwks"), "URL"),
        (base().algorithms([]), "algorithm"),
        (base().algorithms([Algorithm::Hs256]), "Hs256"),
        (base().jwks(jwks.clone()).algorithms([Algorithm::Es256, Algorithm::Hs256]), "Hs256"),
        (base().secret([7; 32]).algorithms([Algorithm::Es256]), "Es256"),
        (base().secret("short"), "32"),
        (base().jwks("{}"), "key set"),
        (base().jwks(r#"{"keys":[{"kty":"oct","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]}"#), "key"),
    ] {
        let error = bad.clone().build().expect_err(&format!("{bad:?}")).to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[tokio::test]
async fn a_verifier_says_nothing_of_the_tokens_that_it_sees() {
    let (log, _guard) = logged_from(tracing::Level::TRACE);
    let authority = Authority::new();
    let verifier = authority.verifier().build().unwrap();
    let good = authority.token(&authority.claims());
    let bad = Signer::ec().token("one", &authority.claims_with(json!({"secret_claim": "hush"})));
    let mut shown = format!("{verifier:?}");
    // Twice: what was first logged while another test began to listen may have been taken for what nobody hears.
    for verifier in [verifier, authority.verifier().build().unwrap()] {
        tracing::callsite::rebuild_interest_cache();
        shown.push_str(&format!("{:?} {:?}", verifier.verify(&good).await, verifier.verify(&bad).await));
    }
    assert!(log.text().contains("the keys of an authorization server were fetched"), "{}", log.text());
    for token in [&good, &bad] {
        for part in token.split('.').skip(1) {
            assert!(!log.text().contains(part) && !shown.contains(part), "{shown}");
        }
    }
    assert!(!shown.contains("hush") && !shown.contains("client_id\""), "{shown}");
}
