use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use super::ask::{Ask, AskError};

/// Several questions that travel in one round: a tuple of up to eight, or a `Vec` of one kind.
///
/// See [`Context::ask_all`](crate::Context::ask_all).
pub trait Questions: sealed::Sealed {
    /// The answers, in the order of the questions.
    type Answers;

    /// All answers, or the first error in the order of the questions once each has been answered.
    #[doc(hidden)]
    fn all(self) -> impl Future<Output = Result<Self::Answers, AskError>> + Send;
}

mod sealed {
    pub trait Sealed {}
}

impl<T: Send> sealed::Sealed for Vec<Ask<T>> {}

impl<T: Send> Questions for Vec<Ask<T>> {
    type Answers = Vec<T>;

    async fn all(mut self) -> Result<Vec<T>, AskError> {
        poll_fn(|cx| {
            // Each is polled before any is looked at, so that all of them are registered.
            let polled: Vec<_> = self.iter_mut().map(|ask| Pin::new(ask).poll(cx)).collect();
            let mut answers = Vec::with_capacity(polled.len());
            for answer in polled {
                let Poll::Ready(answer) = answer else { return Poll::Pending };
                answers.push(answer);
            }
            Poll::Ready(answers.into_iter().collect())
        })
        .await
    }
}

macro_rules! tuples {
    ($($($ty:ident $name:ident)+;)+) => {$(
        impl<$($ty: Send),+> sealed::Sealed for ($(Ask<$ty>,)+) {}

        impl<$($ty: Send),+> Questions for ($(Ask<$ty>,)+) {
            type Answers = ($($ty,)+);

            async fn all(self) -> Result<($($ty,)+), AskError> {
                let ($(mut $name,)+) = self;
                poll_fn(|cx| {
                    $(let $name = Pin::new(&mut $name).poll(cx);)+
                    match ($($name,)+) {
                        ($(Poll::Ready($name),)+) => Poll::Ready((|| Ok(($($name?,)+)))()),
                        _ => Poll::Pending,
                    }
                })
                .await
            }
        }
    )+};
}

tuples! {
    A a;
    A a B b;
    A a B b C c;
    A a B b C c D d;
    A a B b C c D d E e;
    A a B b C c D d E e F f;
    A a B b C c D d E e F f G g;
    A a B b C c D d E e F f G g H h;
}
