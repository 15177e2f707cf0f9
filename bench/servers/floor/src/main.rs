//! The limits: a line for each line over pipes, and a fixed body for each request over HTTP, both without reading them.
//!
//! `bench-floor stdio BYTES`: reads a line, writes one of so many bytes, flushes; `bench-floor batched BYTES`: all lines that
//! came at once are answered at once; `bench-floor http BYTES`: answers each POST with so many bytes.

use std::convert::Infallible;
use std::io::{self, BufRead, BufReader, Read, Write};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["stdio", bytes] => lines(&answer(bytes)?),
        ["batched", bytes] => batches(&answer(bytes)?),
        ["http", bytes] => serve(bytes.parse().map_err(io::Error::other)?),
        _ => Err(io::Error::other("usage: stdio|batched|http BYTES")),
    }
}

/// A line of so many bytes.
fn answer(bytes: &str) -> io::Result<Vec<u8>> {
    let mut line = vec![b' '; bytes.parse().map_err(io::Error::other)?];
    line.push(b'\n');
    Ok(line)
}

fn lines(answer: &[u8]) -> io::Result<()> {
    let (mut input, mut output) = (BufReader::with_capacity(64 << 10, io::stdin().lock()), io::stdout().lock());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        output.write_all(answer)?;
        output.flush()?;
        line.clear();
    }
    Ok(())
}

fn batches(answer: &[u8]) -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let (mut chunk, mut batch) = (vec![0; 64 << 10], Vec::new());
    loop {
        let read = input.read(&mut chunk)?;
        if read == 0 {
            return Ok(());
        }
        for _ in chunk[..read].iter().filter(|&&byte| byte == b'\n') {
            batch.extend_from_slice(answer);
        }
        output.write_all(&batch)?;
        output.flush()?;
        batch.clear();
    }
}

#[tokio::main(flavor = "current_thread")]
async fn serve(bytes: usize) -> io::Result<()> {
    let body = Bytes::from(vec![b' '; bytes]);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let body = body.clone();
        let answer = move |request: Request<Incoming>| {
            let body = body.clone();
            async move {
                // The connection can be kept only once the request has been read to its end.
                drop(request.into_body().collect().await);
                let mut response = Response::new(Full::new(body));
                response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                Ok::<_, Infallible>(response)
            }
        };
        tokio::spawn(async move {
            drop(
                hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service_fn(answer))
                    .await,
            );
        });
    }
}
