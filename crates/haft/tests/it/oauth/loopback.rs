//! The redirect of a browser on this machine.

use std::sync::Mutex;
use std::time::Duration;

use haft::oauth::{Loopback, OAuth};
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;

use super::stand::ask;
use super::world::World;

/// A client whose browser is this test: each page that is to be opened comes over the channel.
fn client() -> (OAuth, mpsc::UnboundedReceiver<String>) {
    let (open, pages) = mpsc::unbounded_channel();
    let open = Mutex::new(open);
    let redirect = Loopback::new(move |url: &str| {
        open.lock().unwrap().send(url.to_owned()).unwrap();
        Ok(())
    });
    (OAuth::builder().redirect(redirect).build().unwrap(), pages)
}

#[tokio::test]
async fn a_browser_comes_back_with_the_code() {
    let world = World::start().await;
    let (oauth, mut pages) = client();
    let browser = async {
        let page = pages.recv().await.unwrap();
        let (status, headers, _) = ask("GET", &page, &[], "").await;
        assert_eq!(status, 302);
        let back = headers["location"].to_str().unwrap().to_owned();
        assert!(back.starts_with("http://127.0.0.1:") && back.contains("/callback?"), "{back}");
        let (place, query) = back.split_once('?').unwrap();
        // Browsers open connections that they never use, and some that say nothing of use.
        let host = place.strip_prefix("http://").unwrap().split('/').next().unwrap();
        let idle = tokio::net::TcpStream::connect(host).await.unwrap();
        let mut junk = tokio::net::TcpStream::connect(host).await.unwrap();
        junk.write_all(&[b'x'; 20_000]).await.unwrap();
        // Nobody but the page knows the state.
        for (method, url) in [
            ("GET", format!("{place}?code=stolen&state=forged")),
            ("GET", format!("{place}?code=stolen")),
            ("GET", place.replace("/callback", "/favicon.ico")),
            ("POST", back.clone()),
            ("GET", format!("{}?{query}", place.replace("/callback", "/other"))),
        ] {
            let (status, _, _) = ask(method, &url, &[], "").await;
            assert_eq!(status, 404, "{method} {url}");
        }
        let (status, headers, body) = ask("GET", &back, &[], "").await;
        assert_eq!((status, headers["cache-control"].to_str().unwrap()), (200, "no-store"));
        assert!(body.contains("close this window") && !body.contains("code"), "{body}");
        drop(idle);
    };
    let (called, ()) = tokio::join!(world.call(&oauth, "tools/list"), browser);
    assert_eq!(called.unwrap(), 200);
    let redirect = world.authorizations()[0].query("redirect_uri").unwrap();
    let port: u16 =
        redirect.strip_prefix("http://127.0.0.1:").unwrap().strip_suffix("/callback").unwrap().parse().unwrap();
    // Nobody listens any more.
    assert!(tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err());
}

#[tokio::test]
async fn a_login_goes_on_when_the_request_behind_it_is_given_up() {
    let world = World::start().await;
    let (oauth, mut pages) = client();
    let page = tokio::select! {
        _ = world.call(&oauth, "tools/list") => unreachable!("nobody has consented"),
        page = pages.recv() => page.unwrap(),
    };
    let (_, headers, _) = ask("GET", &page, &[], "").await;
    let back = headers["location"].to_str().unwrap().to_owned();
    assert_eq!(ask("GET", &back, &[], "").await.0, 200);
    assert_eq!(world.call(&oauth, "tools/list").await.unwrap(), 200);
    assert_eq!(world.authorizations().len(), 1);
}

#[tokio::test]
async fn a_login_ends_with_the_client() {
    let world = World::start().await;
    let (oauth, mut pages) = client();
    let page = tokio::select! {
        _ = world.call(&oauth, "tools/list") => unreachable!("nobody has consented"),
        page = pages.recv() => page.unwrap(),
    };
    let (_, headers, _) = ask("GET", &page, &[], "").await;
    let back = headers["location"].to_str().unwrap().to_owned();
    drop(oauth);
    let host = back.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
    // The task is gone at the next chance of the runtime.
    for _ in 0..1000 {
        if tokio::net::TcpStream::connect(&host).await.is_err() {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("somebody still listens at {host}");
}

#[tokio::test]
async fn users_may_take_their_time_but_not_for_ever() {
    let world = World::start().await;
    let redirect = Loopback::new(|_: &str| Ok(()));
    let oauth = OAuth::builder().redirect(redirect).patience(Duration::from_millis(50)).build().unwrap();
    let error = world.call(&oauth, "tools/list").await.unwrap_err().to_string();
    assert!(error.contains("nobody logged in"), "{error}");

    let redirect = Loopback::new(|_: &str| Err(std::io::Error::other("no display")));
    let oauth = OAuth::builder().redirect(redirect).build().unwrap();
    let error = world.call(&oauth, "tools/list").await.unwrap_err().to_string();
    assert!(error.contains("no display"), "{error}");
}

#[test]
fn a_redirect_uri_is_taken_as_it_is_written() {
    let loopback = || Loopback::new(|_: &str| Ok(()));
    for uri in ["http://127.0.0.1:3000/callback", "http://localhost:8080/a/b"] {
        assert!(format!("{:?}", loopback().with_uri(uri).unwrap()).contains(uri));
    }
    for uri in [
        "https://127.0.0.1:3000/callback",
        "http://example.com:3000/callback",
        "http://127.0.0.1:3000/callback?x=1",
        "http://127.0.0.1:3000/callback#x",
        "http://127.0.0.1:3000",
        "HTTP://127.0.0.1:3000/callback",
        "http://user@127.0.0.1:3000/callback",
        "callback",
    ] {
        assert!(loopback().with_uri(uri).is_err(), "{uri}");
    }
}
