//! A telephone network that lives in this process: it rings, is busy, answers, talks, breaks and repeats itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::plot::{Kind, Plot};
use super::{Doing, Listener, NotDialed, Notice, Order, Provider, Told};
use crate::call::{Event, Outcome};

/// For how long a notice is told again that isn't taken.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long it is waited before that, at first and at most.
const AGAIN: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));
/// The most calls at once.
const LINES: usize = 20_000;

/// A simulated network. Its calls end with it.
pub(crate) struct Network {
    seed: u64,
    /// Simulated seconds in one.
    speed: f64,
    lines: Arc<Mutex<Lines>>,
}

#[derive(Default)]
struct Lines {
    /// By whose dropping a call is hung up.
    open: HashMap<String, oneshot::Sender<()>>,
    calls: JoinSet<()>,
}

impl Network {
    /// A network whose calls go `speed` times as fast as real ones.
    pub(crate) fn new(seed: u64, speed: f64) -> Self {
        Self { seed, speed: speed.clamp(0.1, 10_000.0), lines: Arc::default() }
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, order: Order, listener: Arc<dyn Listener>) -> Result<(), NotDialed> {
        let plot = Plot::of(&order, self.seed);
        let mut lines = self.lines();
        while lines.calls.try_join_next().is_some() {}
        if plot.kind == Kind::NotTaken || lines.calls.len() >= LINES {
            return Err(NotDialed);
        }
        let (hang_up, hung_up) = oneshot::channel();
        let call_id = order.call_id.clone();
        lines.open.insert(call_id.clone(), hang_up);
        let line = Line { order, listener, hung_up, speed: self.speed, told: 0 };
        let all = Arc::clone(&self.lines);
        lines.calls.spawn(async move {
            line.play(plot).await;
            all.lock().unwrap_or_else(PoisonError::into_inner).open.remove(&call_id);
        });
        Ok(())
    }
}

impl Provider for Network {
    fn dial(&self, order: Order, to: Arc<dyn Listener>) -> Doing<'_, Result<(), NotDialed>> {
        let begun = self.begin(order, to);
        Box::pin(async { begun })
    }

    fn hang_up<'a>(&'a self, call_id: &'a str) -> Doing<'a, ()> {
        drop(self.lines().open.remove(call_id));
        Box::pin(async {})
    }
}

/// One call.
struct Line {
    order: Order,
    listener: Arc<dyn Listener>,
    hung_up: oneshot::Receiver<()>,
    speed: f64,
    told: u64,
}

impl Line {
    async fn play(mut self, plot: Plot) {
        let mut end = None;
        let silent = plot.kind == Kind::Silent;
        for (pause, event) in plot.acts {
            let at = Instant::now() + pause.div_f64(self.speed);
            let cut_off = end.is_some_and(|end| end < at);
            tokio::select! {
                () = sleep_until(end.filter(|_| cut_off).unwrap_or(at)) => {}
                _ = &mut self.hung_up => return,
            }
            if cut_off {
                self.tell(Event::Ended { outcome: Outcome::TimeLimit }).await;
                return;
            }
            if event == Event::Answered {
                end = Some(Instant::now() + self.order.longest.div_f64(self.speed));
            }
            if plot.kind == Kind::Stutters {
                self.tell(event.clone()).await;
                self.told -= 1;
            }
            if self.tell(event).await == Told::HangUp {
                return;
            }
        }
        if silent {
            // Somebody else tells what happens; this only keeps the line.
            drop(timeout_at(Instant::now() + self.order.longest, self.hung_up).await);
        }
    }

    /// Tells it until it is taken, or for so long that nobody will.
    async fn tell(&mut self, event: Event) -> Told {
        self.told += 1;
        let notice = Notice { call_id: self.order.call_id.clone(), number: self.told, event };
        let (mut pause, longest) = AGAIN;
        let end = Instant::now() + PATIENCE;
        loop {
            let told = timeout_at(end, self.listener.tell(&notice)).await.unwrap_or(Told::Again);
            if told != Told::Again {
                return told;
            }
            if Instant::now() + pause >= end {
                return Told::HangUp;
            }
            sleep(pause).await;
            pause = (pause * 2).min(longest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::PhoneNumber;
    use tokio::sync::mpsc;

    /// Writes down what it is told, and takes it only the second time if told so.
    struct Ear {
        heard: mpsc::UnboundedSender<Notice>,
        deaf: Mutex<bool>,
    }

    impl Listener for Ear {
        fn tell<'a>(&'a self, notice: &'a Notice) -> Doing<'a, Told> {
            Box::pin(async move {
                if std::mem::take(&mut *self.deaf.lock().expect("no panic")) {
                    return Told::Again;
                }
                self.heard.send(notice.clone()).expect("somebody reads");
                Told::GoOn
            })
        }
    }

    async fn call(network: &Network, to: &str, deaf: bool) -> Result<mpsc::UnboundedReceiver<Notice>, NotDialed> {
        let (heard, notices) = mpsc::unbounded_channel();
        let order = Order {
            call_id: "call_1".into(),
            to: PhoneNumber::parse(to).expect("a number"),
            opening: "I am a machine.".into(),
            objective: "Ask when they open.".into(),
            longest: Duration::from_secs(60),
        };
        network.dial(order, Arc::new(Ear { heard, deaf: deaf.into() })).await.map(|()| notices)
    }

    async fn all(mut notices: mpsc::UnboundedReceiver<Notice>) -> Vec<Notice> {
        let mut all = Vec::new();
        while let Some(notice) = notices.recv().await {
            all.push(notice);
        }
        all
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_is_told_in_order_even_to_those_who_do_not_listen_at_once() {
        let network = Network::new(1, 1.0);
        let notices = all(call(&network, "+12125550100", true).await.expect("dialed")).await;
        let numbers: Vec<_> = notices.iter().map(|notice| notice.number).collect();
        assert_eq!(numbers, (1..=notices.len() as u64).collect::<Vec<_>>());
        assert_eq!(notices.first().map(|notice| &notice.event), Some(&Event::Ringing));
        assert_eq!(notices.last().map(|notice| &notice.event), Some(&Event::Ended { outcome: Outcome::Completed }));
    }

    #[tokio::test(start_paused = true)]
    async fn who_talks_without_end_is_cut_off_after_the_longest_duration() {
        let (network, begin) = (Network::new(1, 10.0), Instant::now());
        let notices = all(call(&network, "+12125550108", false).await.expect("dialed")).await;
        assert_eq!(notices.last().map(|notice| &notice.event), Some(&Event::Ended { outcome: Outcome::TimeLimit }));
        // A minute after it was answered, at ten times the speed.
        assert!((6.0..7.2).contains(&begin.elapsed().as_secs_f64()), "{:?}", begin.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn hanging_up_ends_it_and_faults_come_as_ordered() {
        let network = Network::new(1, 1.0);
        let mut notices = call(&network, "+12125550108", false).await.expect("dialed");
        assert_eq!(notices.recv().await.map(|notice| notice.event), Some(Event::Ringing));
        network.hang_up("call_1").await;
        assert_eq!(all(notices).await, []);
        assert!(call(&network, "+12125550110", false).await.is_err(), "the provider doesn't take it");
        let twice = all(call(&network, "+12125550113", false).await.expect("dialed")).await;
        assert!(twice.chunks(2).all(|pair| pair[0] == pair[1]));
    }
}
