use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use haft_wire::SubscriptionFilter;
use tokio::sync::Notify;

/// What a server tells subscribers of, as its author said.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Offer {
    pub(super) tools: bool,
    pub(super) prompts: bool,
    pub(super) resources: bool,
}

/// Something that subscribers are told of. They are told in this order where several things happen at once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Topic {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// The resource with this URI.
    Resource(Arc<str>),
    /// The end of all subscriptions. Every subscriber has it.
    End,
}

/// All subscriptions of a server.
///
/// Nothing is queued: each subscriber has a set of topics that changed since it last looked. However often a topic
/// changes and however slowly a client reads, it takes one place there, and the last change is never lost.
pub(super) struct Hub {
    offer: Offer,
    max: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: u64,
    open: usize,
    wanted: BTreeMap<(Topic, u64), Arc<Subscriber>>,
}

#[derive(Default)]
struct Subscriber {
    changed: Mutex<BTreeSet<Topic>>,
    wake: Notify,
}

/// A place in the hub, for as long as it lives.
pub(crate) struct Subscription {
    hub: Arc<Hub>,
    id: u64,
    topics: Mutex<Vec<Topic>>,
    subscriber: Arc<Subscriber>,
}

impl Hub {
    pub(super) fn new(offer: Offer, max: usize) -> Self {
        Self { offer, max, state: Mutex::default() }
    }

    /// Whether there is anything to subscribe to.
    pub(super) fn offers_anything(&self) -> bool {
        let Offer { tools, prompts, resources } = self.offer;
        tools || prompts || resources
    }

    /// The part of a filter that this server can serve.
    pub(super) fn honour(&self, asked: SubscriptionFilter) -> SubscriptionFilter {
        let Offer { tools, prompts, resources } = self.offer;
        let both = |asked: Option<bool>, offered: bool| (asked == Some(true) && offered).then_some(true);
        SubscriptionFilter {
            tools_list_changed: both(asked.tools_list_changed, tools),
            prompts_list_changed: both(asked.prompts_list_changed, prompts),
            resources_list_changed: both(asked.resources_list_changed, resources),
            resource_subscriptions: asked.resource_subscriptions.filter(|uris| resources && !uris.is_empty()),
            // Tasks are not told of by the hub.
            task_ids: None,
        }
    }

    /// A subscription to what a filter names, or `None` when there are as many as there may be.
    pub(super) fn subscribe(self: &Arc<Self>, filter: &SubscriptionFilter) -> Option<Subscription> {
        let listed = [
            (filter.tools_list_changed, Topic::Tools),
            (filter.prompts_list_changed, Topic::Prompts),
            (filter.resources_list_changed, Topic::Resources),
        ];
        let lists = listed.into_iter().filter(|(wanted, _)| *wanted == Some(true)).map(|(_, topic)| topic);
        let uris = filter.resource_subscriptions.iter().flatten().map(|uri| Topic::Resource(uri.as_str().into()));
        let mut topics: Vec<Topic> = lists.chain(uris).chain([Topic::End]).collect();
        topics.shrink_to_fit();
        let subscriber = Arc::new(Subscriber::default());
        let mut state = self.lock();
        if state.open >= self.max {
            return None;
        }
        state.open += 1;
        state.last += 1;
        let id = state.last;
        state.wanted.extend(topics.iter().map(|topic| ((topic.clone(), id), Arc::clone(&subscriber))));
        Some(Subscription { hub: Arc::clone(self), id, topics: Mutex::new(topics), subscriber })
    }

    /// Tells everybody who wants to know. Never waits for a client.
    pub(super) fn publish(&self, topic: &Topic) {
        let state = self.lock();
        let everyone = (topic.clone(), 0)..=(topic.clone(), u64::MAX);
        for subscriber in state.wanted.range(everyone).map(|(_, subscriber)| subscriber) {
            if subscriber.lock().insert(topic.clone()) {
                subscriber.wake.notify_one();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subscriber {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<Topic>> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subscription {
    /// What has changed since this was last asked; waits until something has. Cancel-safe.
    pub(crate) async fn changes(&self) -> BTreeSet<Topic> {
        loop {
            let changed = mem::take(&mut *self.subscriber.lock());
            if !changed.is_empty() {
                return changed;
            }
            self.subscriber.wake.notified().await;
        }
    }

    /// Adds the resource with this URI to what it is told of, unless it has `most` already.
    pub(crate) fn watch(&self, uri: &str, most: usize) -> bool {
        let topic = Topic::Resource(uri.into());
        let mut topics = self.topics();
        if topics.contains(&topic) {
            return true;
        }
        if topics.len() >= most {
            return false;
        }
        topics.push(topic.clone());
        self.hub.lock().wanted.insert((topic, self.id), Arc::clone(&self.subscriber));
        true
    }

    /// Takes it out again.
    pub(crate) fn unwatch(&self, uri: &str) {
        let topic = Topic::Resource(uri.into());
        self.topics().retain(|other| *other != topic);
        self.subscriber.lock().remove(&topic);
        self.hub.lock().wanted.remove(&(topic, self.id));
    }

    fn topics(&self) -> MutexGuard<'_, Vec<Topic>> {
        self.topics.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let topics = mem::take(&mut *self.topics());
        let mut state = self.hub.lock();
        state.open -= 1;
        for topic in topics {
            state.wanted.remove(&(topic, self.id));
        }
    }
}
