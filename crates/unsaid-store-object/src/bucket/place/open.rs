//! From a place to a bucket: clients, credentials, time limits.

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, S3ConditionalPut};
use object_store::client::{HttpConnector as _, ReqwestConnector};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};

use super::{Endpoint, Kind, Place, PlaceError, Remote};
use crate::bucket::{
    Bucket,
    cloud::{CloudBucket, Condition, Frugal as _, client_options},
    directory::DirectoryBucket,
    inspect::{GcsSettings, S3Settings, Settings},
    memory::MemoryBucket,
};

const GCS: &str = "https://storage.googleapis.com";
/// What a stand-in gets in place of a token. Without one the library would look for the metadata
/// server of a cloud.
const NOBODY: &str = "nobody";
const GCS_VARIABLES: &str = "GOOGLE_APPLICATION_CREDENTIALS";
const S3_VARIABLES: &str = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
const DEFAULT_REGION: &str = "us-east-1";

/// How to use a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How long one call may take, from the first byte to the last.
    pub call_time_max: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { call_time_max: Duration::from_secs(10) }
    }
}

/// A place that is in use.
pub struct Opened {
    /// Its objects.
    pub bucket: Arc<dyn Bucket>,
    pub(in crate::bucket) settings: Settings,
}

impl Place {
    /// Opens it. Nothing is sent yet; a directory is made.
    ///
    /// # Errors
    ///
    /// If the credentials or the directory cannot be used.
    pub fn open(&self, options: &Options) -> Result<Opened, PlaceError> {
        match &self.0 {
            Kind::Gcs(remote) => gcs(remote, options),
            Kind::S3(remote) => s3(remote, options),
            Kind::Directory(path) => {
                let bucket = DirectoryBucket::open(path, options.call_time_max);
                let bucket = bucket.map_err(|error| PlaceError::Directory(error.to_string()))?;
                Ok(Opened { bucket: Arc::new(bucket), settings: Settings::None })
            }
            Kind::Memory => {
                Ok(Opened { bucket: Arc::new(MemoryBucket::new()), settings: Settings::None })
            }
        }
    }
}

impl Place {
    /// Opens one that belongs to somebody else, to read what is there.
    ///
    /// # Errors
    ///
    /// If the credentials or the directory cannot be used.
    pub fn open_to_read(&self, options: &Options) -> Result<Opened, PlaceError> {
        let Kind::Directory(path) = &self.0 else { return self.open(options) };
        let bucket = DirectoryBucket::open_to_read(path, options.call_time_max);
        let bucket = bucket.map_err(|error| PlaceError::Directory(error.to_string()))?;
        Ok(Opened { bucket: Arc::new(bucket), settings: Settings::None })
    }
}

fn gcs(remote: &Remote, options: &Options) -> Result<Opened, PlaceError> {
    let refused = |_| PlaceError::Credentials(GCS_VARIABLES);
    let endpoint = remote.endpoint.as_ref();
    let limit = options.call_time_max;
    let address = endpoint.map_or(GCS, |endpoint| endpoint.address.as_str());
    let from_env = GoogleCloudStorageBuilder::from_env();
    let is_nobody = endpoint.is_some_and(|endpoint| endpoint.is_loopback || !has_key(&from_env));
    // whoever stands in on this machine is not shown the key of the house
    let builder = if is_nobody {
        GoogleCloudStorageBuilder::new().with_bearer_token(NOBODY)
    } else {
        from_env
    };
    let store = builder
        .with_bucket_name(&remote.bucket)
        .with_base_url(address)
        .with_skip_signature(false)
        .frugal(limit, allows_http(endpoint))
        .build()
        .map_err(refused)?;
    let client = ReqwestConnector::default()
        .connect(&client_options(limit, allows_http(endpoint)))
        .map_err(refused)?;
    let settings = Settings::Gcs(GcsSettings {
        address: format!("{address}/storage/v1/b/{}", remote.bucket),
        credentials: Arc::clone(store.credentials()),
        client,
        call_time_max: limit,
    });
    let bucket = CloudBucket::new(Arc::new(store), &remote.prefix, Condition::Generation, limit);
    Ok(Opened { bucket: Arc::new(bucket), settings })
}

/// Whether the environment holds a key; what `gcloud` left in a home directory counts for the real
/// cloud only.
fn has_key(builder: &GoogleCloudStorageBuilder) -> bool {
    [
        GoogleConfigKey::ServiceAccount,
        GoogleConfigKey::ServiceAccountKey,
        GoogleConfigKey::ApplicationCredentials,
        GoogleConfigKey::BearerToken,
    ]
    .iter()
    .any(|key| builder.get_config_value(key).is_some())
}

fn s3(remote: &Remote, options: &Options) -> Result<Opened, PlaceError> {
    let refused = |_| PlaceError::Credentials(S3_VARIABLES);
    let mut builder = AmazonS3Builder::from_env();
    let endpoint = s3_endpoint(remote, &builder)?;
    let limit = options.call_time_max;
    let allow_http = allows_http(endpoint.as_ref());
    let region = builder.get_config_value(&AmazonS3ConfigKey::Region);
    let region = region.unwrap_or_else(|| DEFAULT_REGION.to_owned());
    if let Some(endpoint) = &endpoint {
        // of two settings the library takes this one first
        builder = builder.with_config(AmazonS3ConfigKey::S3Endpoint, &endpoint.address);
        if builder.get_config_value(&AmazonS3ConfigKey::AccessKeyId).is_none() {
            builder = builder.with_access_key_id(NOBODY).with_secret_access_key(NOBODY);
        }
    }
    let store = builder
        .with_bucket_name(&remote.bucket)
        .with_region(&region)
        .with_virtual_hosted_style_request(false)
        .with_conditional_put(S3ConditionalPut::ETagMatch)
        .with_skip_signature(false)
        .with_disable_bulk_delete(true)
        .frugal(limit, allow_http)
        .build()
        .map_err(refused)?;
    let client =
        ReqwestConnector::default().connect(&client_options(limit, allow_http)).map_err(refused)?;
    let address = endpoint
        .map_or_else(|| format!("https://s3.{region}.amazonaws.com"), |endpoint| endpoint.address);
    let settings = Settings::S3(S3Settings {
        address: format!("{address}/{}", remote.bucket),
        region,
        credentials: Arc::clone(store.credentials()),
        client,
        call_time_max: limit,
    });
    let bucket = CloudBucket::new(Arc::new(store), &remote.prefix, Condition::Tag, limit);
    Ok(Opened { bucket: Arc::new(bucket), settings })
}

/// Our own setting before the environment's, and both by the same rules.
fn s3_endpoint(remote: &Remote, env: &AmazonS3Builder) -> Result<Option<Endpoint>, PlaceError> {
    if remote.endpoint.is_some() {
        return Ok(remote.endpoint.clone());
    }
    let keys = [AmazonS3ConfigKey::S3Endpoint, AmazonS3ConfigKey::Endpoint];
    let text = keys.iter().find_map(|key| env.get_config_value(key));
    text.map(|text| Endpoint::parse(&text)).transpose()
}

fn allows_http(endpoint: Option<&Endpoint>) -> bool {
    endpoint.is_some_and(|endpoint| endpoint.is_plain)
}
