//! The client: tasks that are followed, kept and given up.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use haft::prelude::*;
use haft::{CallOptions, Client, Elicited, ErrorKind, HttpOptions, Started, TaskStatus, TaskSupport};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::{builder, server};
use crate::post::Served;

/// Use this to ask three times, the second time in vain.
#[tool(additive, closed_world, task(poll = "10ms"))]
async fn ask_often(context: Context) -> Result<String, ToolError> {
    let name: String = context.ask("name", "For whom?").await?;
    let size: u8 = context.ask("size", "How large?").await?;
    Ok(format!("{name} {size}"))
}

/// A client whose user answers, and how often it was asked.
fn answering(target: haft::Target) -> (impl Future<Output = Client>, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let client = Client::builder().on_elicitation(move |asked| {
        let times = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            let answer = match asked.message.as_str() {
                "For whom?" => json!({"name": "Ada"}),
                // It doesn't fit the first time.
                _ if times == 1 => json!({"size": "large"}),
                _ => json!({"size": 3}),
            };
            Elicited::Accept(answer.as_object().cloned().unwrap())
        }
    });
    (async move { client.connect(target).await.unwrap() }, asked)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_follows_its_task_and_answers_what_it_asks() {
    let gate = Arc::new(Semaphore::new(Semaphore::MAX_PERMITS));
    let server = builder(&gate).tool(ask_often::tool()).build().unwrap();
    let served = Served::new(server.clone(), HttpOptions::new());
    let url = format!("http://{}/mcp", served.address);
    for target in [haft::Target::from(&server), haft::Target::from(url.as_str())] {
        let (client, asked) = answering(target);
        let client = client.await;
        assert_eq!(client.call("work", json!({"on": 1})).await.unwrap().text(), "worked on 1");
        assert_eq!(client.call("ask_often", json!({})).await.unwrap().text(), "Ada 3");
        assert_eq!(asked.load(Ordering::SeqCst), 3, "each question once, and the one that wasn't answered again");
        let failed = client.call("fail", json!({"how": "protocol"})).await.unwrap_err();
        let ErrorKind::Protocol(error) = failed.kind() else { panic!("{failed}") };
        assert_eq!((error.code(), error.data_ref()), (-7, Some(&json!({"at": 3}))));
        assert_eq!(client.call("fail", json!({"how": "tool"})).await.unwrap().text(), "It didn't work.");
    }
}

#[tokio::test]
async fn a_task_can_be_kept_and_followed_by_another_client() {
    let gate = Arc::new(Semaphore::new(0));
    let server = server(&gate);
    let client = Client::in_memory(&server);
    let Started::Task(task) = client.call_task("work", json!({"on": 2})).await.unwrap() else { panic!("no task") };
    assert_eq!(task.get().await.unwrap().status, TaskStatus::Working);
    let (tool, id) = (task.tool().to_owned(), task.id().to_owned());
    drop((task, client));
    let client = Client::in_memory(&server);
    let task = client.task(tool, id);
    gate.add_permits(1);
    assert_eq!(task.wait().await.unwrap().text(), "worked on 2");
    assert_eq!(task.get().await.unwrap().status, TaskStatus::Completed);

    let Started::Task(task) = client.call_task("work", json!({})).await.unwrap() else { panic!("no task") };
    task.update(serde_json::Map::from_iter([("x".to_owned(), Value::Null)])).await.unwrap();
    task.cancel().await.unwrap();
    assert!(matches!(task.wait().await.unwrap_err().kind(), ErrorKind::Cancelled));
    let unknown = client.task("work", "task_none").wait().await.unwrap_err();
    assert!(matches!(unknown.kind(), ErrorKind::Protocol(error) if error.code() == -32602));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_gives_its_task_up() {
    struct OnDrop(Arc<Semaphore>);
    impl Drop for OnDrop {
        fn drop(&mut self) {
            self.0.add_permits(1);
        }
    }
    let dropped = Arc::new(Semaphore::new(0));
    let drops = Arc::clone(&dropped);
    let wait = Tool::builder("wait").description("Use this to wait.").read_only(true);
    let wait = wait.handler(move |_: Arguments, context: Context| {
        let drops = OnDrop(Arc::clone(&drops));
        async move {
            let _drops = drops;
            Ok::<_, ToolError>(context.ask::<String>("name", "For whom?").await?)
        }
    });
    let server = Server::new("tasks", "1.0.0").tool(wait.task(TaskSupport::new())).build().unwrap();
    // Whoever is asked doesn't answer; that somebody is says that the client follows the task.
    let followed = Arc::new(Semaphore::new(0));
    let asked = Arc::clone(&followed);
    let client = Client::builder().on_elicitation(move |_| {
        asked.add_permits(1);
        std::future::pending()
    });
    let client = client.in_memory(&server);
    tokio::select! {
        _ = client.call("wait", json!({})) => panic!("it never ends"),
        _ = followed.acquire() => {}
    }
    dropped.acquire().await.unwrap().forget();
    let options = CallOptions::default().timeout(Duration::from_millis(200));
    let error = client.call_with("wait", json!({}), options).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Timeout), "{error}");
    dropped.acquire().await.unwrap().forget();
}

#[tokio::test]
async fn a_client_may_know_no_tasks() {
    let gate = Arc::new(Semaphore::new(1));
    let server = server(&gate);
    let client = Client::builder().tasks(false).in_memory(&server);
    assert!(matches!(client.call_task("work", json!({})).await.unwrap(), Started::Done(_)));
    let refused = client.call("only_as_task", json!({})).await.unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Protocol(error) if error.code() == -32021));
}
