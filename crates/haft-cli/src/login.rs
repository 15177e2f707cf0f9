use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anstream::{eprintln, println};
use anyhow::{Context, bail};
use clap::Args;
use haft::oauth::{Browser, FileStore, Loopback, OAuth, PreparedRedirect, Redirect, SystemBrowser};
use haft::{AuthorizeError, Authorizing, Client};
use serde_json::json;

use crate::show::{line, pretty};
use crate::target::is_url;
use crate::{Format, Outcome};

/// How long the user may take, and a little more for the requests around it.
const PATIENCE: Duration = Duration::from_secs(300);
const AROUND: Duration = Duration::from_secs(60);

#[derive(Args)]
pub(crate) struct Login {
    /// The server's URL.
    #[arg(value_name = "URL")]
    url: String,
    /// Log out: forget the token.
    #[arg(long)]
    forget: bool,
    /// Print the page to log in on, and open no browser.
    #[arg(long)]
    no_browser: bool,
}

impl Login {
    pub(crate) async fn run(self, format: Format) -> anyhow::Result<Outcome> {
        let Self { url, forget, no_browser } = self;
        if !is_url(&url) {
            bail!("`{url}` is no URL; servers on stdin and stdout take no login");
        }
        let redirect = Loopback::new(move |page: &str| {
            eprintln!("Log in on this page:\n{}", haft_check::printable_line(page));
            // Where there is no browser, the page can be opened by hand.
            if !no_browser {
                drop(SystemBrowser.open(page));
            }
            Ok(())
        });
        let oauth = Arc::new(OAuth::builder().redirect(redirect).patience(PATIENCE).store(store()?).build()?);
        let what = if forget {
            oauth.forget(&url).await?;
            "Logged out of"
        } else {
            let client = Client::builder().info("haft-cli", env!("CARGO_PKG_VERSION")).timeout(PATIENCE + AROUND);
            let client = client.authorize(oauth).connect(url.as_str()).await?;
            // Some servers let everybody find out what they are.
            client.list_tools().await?;
            client.close(Duration::from_secs(5)).await?;
            "Logged in to"
        };
        match format {
            Format::Json => println!("{}", pretty(&json!({"url": url, "loggedIn": !forget}))?),
            Format::Text => println!("{what} {}", line(&url)),
        }
        Ok(Outcome::Good)
    }
}

/// The tokens of those who are logged in; whoever isn't is told how to. None where there is no place for tokens.
pub(crate) fn logged_in(url: &str) -> anyhow::Result<Option<OAuth>> {
    let Some(path) = path() else { return Ok(None) };
    let oauth = OAuth::builder().redirect(NotNow(url.to_owned())).store(FileStore::new(path));
    Ok(Some(oauth.build()?))
}

struct NotNow(String);

impl Redirect for NotNow {
    fn prepare(&self) -> Authorizing<'_, Box<dyn PreparedRedirect>> {
        Box::pin(async { Err(AuthorizeError::new(format!("log in first: haft login {}", self.0))) })
    }
}

/// The file of tokens, in a folder that exists.
fn store() -> anyhow::Result<FileStore> {
    let path = path().context("there is no folder of settings; set HAFT_TOKENS to the path of a file")?;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).with_context(|| format!("{} can't be made", folder.display()))?;
    }
    Ok(FileStore::new(path))
}

/// What `HAFT_TOKENS` names, or a file in the user's folder of settings.
fn path() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let settings = || match cfg!(windows) {
        true => folder("APPDATA"),
        false => folder("XDG_CONFIG_HOME").or_else(|| folder("HOME").map(|home| home.join(".config"))),
    };
    folder("HAFT_TOKENS").or_else(|| settings().map(|settings| settings.join("haft").join("tokens.json")))
}
