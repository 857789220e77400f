//! Encryption on the way to the server, as `sslmode` asks for it.

use std::{path::PathBuf, sync::Arc};

use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, aws_lc_rs},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::open_error::OpenError;

/// How sure to be whom one talks to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// `prefer`, `require`: encrypted against listeners, nobody's name is checked.
    Anybody,
    /// `verify-ca`: somebody with a certificate of the right authority.
    Authority,
    /// `verify-full`: and with the right name.
    Name,
}

/// What an address says about encryption beyond what the driver knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wishes {
    pub(super) trust: Trust,
    /// `sslrootcert`: the authorities to trust; otherwise those of the system.
    pub(super) roots: Option<PathBuf>,
}

impl Wishes {
    /// Takes them out of an address, and gives the rest for the driver.
    pub(super) fn take_from(address: &str) -> (Self, String) {
        let (roots, address) = without(address, "sslrootcert=");
        let roots = roots.filter(|path| path != "system").map(PathBuf::from);
        let named = [("verify-full", Trust::Name), ("verify-ca", Trust::Authority)];
        for (mode, trust) in named {
            let asked = format!("sslmode={mode}");
            if address.contains(&asked) {
                return (Self { trust, roots }, address.replace(&asked, "sslmode=require"));
            }
        }
        // As in PostgreSQL's own library: with authorities at hand `require` means to ask them.
        let asks = roots.is_some() && address.contains("sslmode=require");
        let trust = if asks { Trust::Authority } else { Trust::Anybody };
        (Self { trust, roots }, address)
    }
}

/// The value of a parameter, and the address without it.
fn without(address: &str, name: &str) -> (Option<String>, String) {
    let Some((before, rest)) = address.split_once(name) else { return (None, address.to_owned()) };
    let end = rest.find(|c: char| c == '&' || c.is_whitespace()).unwrap_or(rest.len());
    let after = rest[end..].trim_start_matches('&');
    (Some(rest[..end].to_owned()), format!("{before}{after}").trim_end_matches('&').to_owned())
}

pub(super) fn connector(wishes: &Wishes) -> Result<MakeRustlsConnect, OpenError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier: Arc<dyn ServerCertVerifier> = match wishes.trust {
        Trust::Anybody => Arc::new(NoNames(Arc::clone(&provider), None)),
        Trust::Authority => {
            let authority = authority(wishes, &provider)?;
            Arc::new(NoNames(Arc::clone(&provider), Some(authority)))
        }
        Trust::Name => authority(wishes, &provider)?,
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| tls_error(&error))?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn authority(
    wishes: &Wishes,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, OpenError> {
    let mut roots = RootCertStore::empty();
    match &wishes.roots {
        None => {
            let found = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(found.certs);
        }
        Some(path) => {
            let found = CertificateDer::pem_file_iter(path).map_err(|error| tls_error(&error))?;
            for certificate in found {
                let certificate = certificate.map_err(|error| tls_error(&error))?;
                roots.add(certificate).map_err(|error| tls_error(&error))?;
            }
        }
    }
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .build()
        .map_err(|error| tls_error(&error))
}

fn tls_error(error: &impl std::fmt::Display) -> OpenError {
    OpenError::Io(format!("encryption could not be set up: {error}"))
}

/// Checks the authority, if there is one to ask, and no name.
#[derive(Debug)]
struct NoNames(Arc<CryptoProvider>, Option<Arc<WebPkiServerVerifier>>);

impl ServerCertVerifier for NoNames {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(authority) = &self.1 else { return Ok(ServerCertVerified::assertion()) };
        let verified = authority.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        );
        match verified {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, cert, dss, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, cert, dss, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::{Trust, Wishes};

    #[test]
    fn an_address_says_whom_to_trust() {
        let cases = [
            ("postgres://h/d", Trust::Anybody, None, "postgres://h/d"),
            (
                "postgres://h/d?sslmode=require",
                Trust::Anybody,
                None,
                "postgres://h/d?sslmode=require",
            ),
            (
                "postgres://h/d?sslmode=verify-full",
                Trust::Name,
                None,
                "postgres://h/d?sslmode=require",
            ),
            (
                "postgres://h/d?sslrootcert=/ca.pem&sslmode=verify-ca&connect_timeout=3",
                Trust::Authority,
                Some("/ca.pem"),
                "postgres://h/d?sslmode=require&connect_timeout=3",
            ),
            (
                "host=h sslmode=require sslrootcert=/ca.pem",
                Trust::Authority,
                Some("/ca.pem"),
                "host=h sslmode=require ",
            ),
        ];
        for (address, trust, roots, rest) in cases {
            let wishes = Wishes { trust, roots: roots.map(Into::into) };
            assert_eq!(Wishes::take_from(address), (wishes, rest.to_owned()), "{address}");
        }
    }
}
