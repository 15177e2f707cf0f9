//! Who is calling over HTTP: how a request's credentials become a [`Principal`](crate::Principal), and what a server
//! says of itself as a protected resource.
//!
//! [`authenticate`] is the hook, [`bearer`] and [`jwt`] are ready-made. `transport/http/admission.rs` asks it and answers
//! those who aren't admitted.
//!
//! spec: `basic/authorization`

mod authenticate;
mod bearer;
#[cfg(feature = "auth")]
mod jwt;
mod resource;

pub use authenticate::{AuthError, Authenticate, bearer_token};
pub(crate) use authenticate::{AuthErrorKind, Authenticator};
pub use bearer::Bearer;
#[cfg(feature = "auth")]
pub use jwt::{Algorithm, AuthConfigError, JwtVerifier, JwtVerifierBuilder};
pub use resource::ProtectedResource;
pub(crate) use resource::WELL_KNOWN;
