//! Who may ask: the names that a server is called by, and the web pages that may call it.
//!
//! spec: `basic/transports/streamable-http#security-&-endpoint`

use std::net::Ipv4Addr;

use http::header::{HOST, ORIGIN};
use http::{HeaderMap, Uri};

use super::HttpOptions;

/// A name that may stand in `Host`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HostRule {
    name: String,
    /// `None`: any.
    port: Option<u16>,
}

/// An origin that may stand in `Origin`, in lower case and without its default port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OriginRule(String);

impl HostRule {
    pub(super) fn new(host: &str) -> Self {
        match authority(host) {
            Some((name, port)) => Self { name, port },
            // Matches nothing: no such name can be asked for.
            None => Self { name: host.to_owned(), port: None },
        }
    }

    fn admits(&self, name: &str, port: Option<u16>) -> bool {
        self.name == name && (self.port.is_none() || self.port == port)
    }
}

impl OriginRule {
    pub(super) fn new(origin: &str) -> Self {
        let origin = origin.strip_suffix('/').unwrap_or(origin).to_ascii_lowercase();
        let plain = match origin.split_once("://") {
            Some(("https", rest)) => rest.strip_suffix(":443").map(|host| format!("https://{host}")),
            Some(("http", rest)) => rest.strip_suffix(":80").map(|host| format!("http://{host}")),
            _ => None,
        };
        Self(plain.unwrap_or(origin))
    }
}

/// What a request is refused with: a sentence that names the option to set.
pub(super) fn check(options: &HttpOptions, uri: &Uri, headers: &HeaderMap) -> Result<(), String> {
    check_host(options, uri, headers)?;
    for origin in headers.get_all(ORIGIN) {
        let origin = origin.to_str().unwrap_or("(not text)");
        if !admits_origin(options, origin) {
            return Err(format!(
                "Pages of the origin `{0}` may not call this server. If they may, add it: HttpOptions::allow_origin({0:?}).",
                cut(origin)
            ));
        }
    }
    Ok(())
}

/// The same for what pages of all origins may read.
pub(super) fn check_host(options: &HttpOptions, uri: &Uri, headers: &HeaderMap) -> Result<(), String> {
    let from_uri = uri.authority().map(|authority| Some(authority.as_str()));
    let from_header = headers.get_all(HOST).iter().map(|value| value.to_str().ok());
    let mut named = false;
    for host in from_uri.into_iter().chain(from_header) {
        named = true;
        let shown = host.unwrap_or("(not text)");
        if !host.is_some_and(|host| admits_host(options, host)) {
            return Err(format!(
                "The host `{0}` is not one that this server answers to. If it is, add it: HttpOptions::allow_host({0:?}).",
                cut(shown)
            ));
        }
    }
    if !named {
        return Err("The request names no host. Send the header `Host`.".to_owned());
    }
    Ok(())
}

fn admits_host(options: &HttpOptions, host: &str) -> bool {
    let Some((name, port)) = authority(host) else { return false };
    match options.hosts.as_slice() {
        [] => is_loopback(&name),
        hosts => hosts.iter().any(|rule| rule.admits(&name, port)),
    }
}

fn admits_origin(options: &HttpOptions, origin: &str) -> bool {
    if options.origins.contains(&OriginRule::new(origin)) {
        return true;
    }
    match origin.split_once("://") {
        Some((scheme, host)) if scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") => {
            admits_host(options, host)
        }
        _ => false,
    }
}

fn is_loopback(name: &str) -> bool {
    name == "localhost" || name == "[::1]" || name.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

/// The name, in lower case, and the port of `name:port`. `None` for what is neither.
fn authority(host: &str) -> Option<(String, Option<u16>)> {
    let end = match host.strip_prefix('[') {
        Some(rest) => rest.find(']')? + 2,
        None => host.find(':').unwrap_or(host.len()),
    };
    let (name, rest) = host.split_at_checked(end)?;
    let port = match rest {
        "" => None,
        _ => Some(rest.strip_prefix(':')?.parse().ok()?),
    };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~[]:".contains(&byte);
    (!name.is_empty() && name.bytes().all(plain)).then(|| (name.to_ascii_lowercase(), port))
}

/// So much of a foreign text as a message may hold.
fn cut(text: &str) -> String {
    text.chars().take(128).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(options: &HttpOptions, host: &str, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().expect("a value"));
        if let Some(origin) = origin {
            headers.insert(ORIGIN, origin.parse().expect("a value"));
        }
        check(options, &Uri::from_static("/mcp"), &headers).is_ok()
    }

    #[test]
    fn loopback_names_are_admitted_unless_others_are_set() {
        let options = HttpOptions::new();
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:9", "127.0.0.2", "[::1]", "[::1]:8080"] {
            assert!(admits(&options, host, None), "{host}");
        }
        for host in [
            "",
            ":80",
            "evil.example",
            "localhost.evil.example",
            "localhost:80:80",
            "localhost:x",
            "localhost:99999",
            "localhost@evil.example",
            "[::1",
            "[::1]x",
            "[::2]",
            "0.0.0.0",
            "127.0.0.1.evil.example",
        ] {
            assert!(!admits(&options, host, None), "{host}");
        }
    }

    #[test]
    fn allowed_hosts_take_the_place_of_the_loopback_names() {
        let options = HttpOptions::new().allow_host("MCP.example.com").allow_host("other.example:8443");
        for host in ["mcp.example.com", "mcp.example.com:443", "MCP.EXAMPLE.COM", "other.example:8443"] {
            assert!(admits(&options, host, None), "{host}");
        }
        for host in ["mcp.example.com.evil.example", "other.example", "other.example:443", "localhost"] {
            assert!(!admits(&options, host, None), "{host}");
        }
    }

    #[test]
    fn origins_are_those_of_the_hosts_and_those_allowed() {
        let options = HttpOptions::new().allow_host("mcp.example.com").allow_origin("https://app.example.com:443/");
        for origin in ["https://app.example.com", "HTTPS://APP.example.com", "https://mcp.example.com"] {
            assert!(admits(&options, "mcp.example.com", Some(origin)), "{origin}");
        }
        for origin in [
            "null",
            "",
            "http://app.example.com",
            "https://app.example.com:8443",
            "https://app.example.com.evil.example",
            "https://mcp.example.com/",
            "file://mcp.example.com",
            "mcp.example.com",
            "http://localhost",
        ] {
            assert!(!admits(&options, "mcp.example.com", Some(origin)), "{origin}");
        }
    }

    #[test]
    fn a_request_that_names_no_host_or_two_is_refused() {
        let (options, uri) = (HttpOptions::new(), Uri::from_static("/mcp"));
        let mut headers = HeaderMap::new();
        assert!(check(&options, &uri, &headers).is_err());
        assert_eq!(check(&options, &Uri::from_static("http://localhost/mcp"), &headers), Ok(()));
        headers.append(HOST, "localhost".parse().expect("a value"));
        headers.append(HOST, "evil.example".parse().expect("a value"));
        let refused = check(&options, &uri, &headers);
        assert!(refused.is_err_and(|why| why.contains(r#"HttpOptions::allow_host("evil.example")"#)));
    }
}
