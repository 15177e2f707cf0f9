//! The four tools.

use std::sync::Arc;
use std::time::Duration;

use haft::By;
use haft::prelude::*;

use crate::accounts::Account;
use crate::call::{Call, Status, Wanted};
use crate::calls::Calls;
use crate::number::PhoneNumber;
use crate::view::{self, CallList, CallView};

/// The tool that may go on as a task.
pub(crate) const PLACE: &str = "place_call";

/// The tools' state: the calls, and in whose name those of the local user are made.
pub(crate) struct Dialer {
    calls: Arc<Calls>,
    local: String,
}

impl Dialer {
    pub(crate) fn new(calls: Arc<Calls>, local: String) -> Self {
        Self { calls, local }
    }

    fn account(&self, context: &Context) -> Result<Account, ToolError> {
        Account::of(context.principal(), &self.local).map_err(IntoToolError::into_tool_error)
    }
}

#[toolset]
impl Dialer {
    /// Use this when the user wants somebody to be called on the telephone and has agreed to this call. An automated
    /// assistant says that it is one, and whom it calls for, and talks until the objective is reached. Returns a call_id
    /// at once; follow the call with get_call, and offer the user the link to listen. People are called between 08:00 and
    /// 21:00 of their own time only.
    #[tool(title = "Place a phone call", destructive, open_world, scopes("calls:write"), handle = Call)]
    async fn place_call(
        &self,
        /// Whom to call: a number in E.164, with the country's calling code, such as +12125550100
        #[arg(example = "+12125550100")]
        to: To,
        /// What the call is for, with everything that the assistant needs to know to reach it: 10 to 2,000 characters
        #[arg(length(10..=2000))]
        objective: String,
        /// After how many minutes the call is cut off, 1 to 10
        #[arg(range(1..=10), default = 5)]
        max_duration_minutes: u8,
        /// A text of your own of 8 to 100 characters, such as a UUID. If the same call is placed again with it within a day, nobody is called a
        /// second time, and the first call is returned
        #[arg(length(8..=100))]
        idempotency_key: Option<String>,
        context: Context,
    ) -> Result<Reply<CallView>, ToolError> {
        let account = self.account(&context)?;
        let wanted = Wanted { to: to.0, objective, max_minutes: max_duration_minutes };
        let handle = self.calls.place(By::from(&context), &account, wanted, idempotency_key.as_deref()).await?;
        // With --tasks, for those who know them; what was refused above never became one.
        if context.continue_as_task().await {
            let by = By::from(&context);
            let tell = |said: &str| context.progress_message(0.0, None, said);
            let id = handle.id.clone();
            let handle = tokio::select! {
                over = self.calls.follow(by, handle, tell) => over?,
                // Whoever cancels the task hangs up.
                () = context.cancelled() => self.calls.end(by, &id).await?,
            };
            return Ok(view::reply("The call is over.", handle));
        }
        Ok(view::reply("The call is placed. Follow it with get_call.", handle))
    }

    /// Use this to see how a call is going, what was said, and how it ended. With wait_seconds it answers once the call's
    /// status changes, or when the time is over: that is better than to ask often.
    #[tool(title = "Look up a phone call", read_only, closed_world, scopes("calls:read"))]
    async fn get_call(
        &self,
        /// The id that place_call or list_calls gave, such as call_w5mxuvbpeiaz3nkf2c7qydj4ht
        #[arg(pattern = r"^call_[a-km-np-z2-9]{26}$")]
        call_id: String,
        /// For how many seconds to wait for a change of the status, 0 to 50. 0 answers at once
        #[arg(range(0..=50), default = 0)]
        wait_seconds: u8,
        /// The status that you saw last: if it has changed since, there is no wait
        seen_status: Option<Status>,
        context: Context,
    ) -> Result<Reply<CallView>, ToolError> {
        let at_most = Duration::from_secs(wait_seconds.into());
        let handle = self.calls.wait(By::from(&context), &call_id, seen_status, at_most).await?;
        Ok(view::reply("Here is the call.", handle))
    }

    /// Use this to hang up a call before its end, when the user wants that. Whoever is on the line is cut off. Returns the
    /// call with its transcript; one that is over stays as it is.
    #[tool(title = "End a phone call", destructive, idempotent, open_world, scopes("calls:write"))]
    async fn end_call(
        &self,
        /// The id that place_call or list_calls gave, such as call_w5mxuvbpeiaz3nkf2c7qydj4ht
        #[arg(pattern = r"^call_[a-km-np-z2-9]{26}$")]
        call_id: String,
        context: Context,
    ) -> Result<Reply<CallView>, ToolError> {
        let handle = self.calls.end(By::from(&context), &call_id).await?;
        Ok(view::reply("The call is over.", handle))
    }

    /// Use this to find the user's calls of the last 30 days, such as when a call_id is lost. Returns each call's id, number
    /// and outcome, newest first.
    #[tool(title = "List phone calls", read_only, closed_world, scopes("calls:read"))]
    async fn list_calls(
        &self,
        /// How many calls to return, 1 to 50
        #[arg(range(1..=50), default = 20)]
        limit: u8,
        /// The next_cursor of the page before
        #[arg(length(1..=40))]
        cursor: Option<String>,
        context: Context,
    ) -> Result<Reply<CallList>, ToolError> {
        let page = self.calls.list(By::from(&context), cursor.as_deref(), limit.into()).await?;
        Ok(view::list(page))
    }
}

/// A telephone number, as an argument.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
struct To(#[schemars(with = "String", regex(pattern = r"^\+[1-9][0-9]{6,14}$"))] PhoneNumber);
