//! A picture as models take it: of a known type, not too large, and whole.

use std::io::Cursor;

use image::{
    DynamicImage, ImageDecoder as _, ImageError, ImageFormat, ImageReader, ImageResult, Limits,
    codecs::jpeg::JpegEncoder, guess_format,
};
use unsaid_core::port::media::MediaFile;

/// The longer side, at most.
const SIDE_PIXELS_MAX: u32 = 1_024;
/// A small picture of many frames may still be large; no provider takes more.
const BYTES_MAX: usize = 4 << 20;
/// A picture that unfolds to more is not unfolded.
const UNFOLDED_BYTES_MAX: u64 = 160 << 20;
const UNFOLDED_SIDE_PIXELS_MAX: u32 = 32_768;
const JPEG_QUALITY: u8 = 85;

/// Why bytes are no picture of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotAPicture {
    #[error("not a type of picture that models take")]
    Type,
    #[error("a picture that cannot be read")]
    Broken,
    #[error("a picture that unfolds to more than there is room for")]
    TooLarge,
}

impl From<ImageError> for NotAPicture {
    fn from(error: ImageError) -> Self {
        if matches!(error, ImageError::Limits(_)) { Self::TooLarge } else { Self::Broken }
    }
}

impl NotAPicture {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Type => "not_a_picture",
            Self::Broken => "picture_broken",
            Self::TooLarge => "picture_too_large",
        }
    }
}

/// The picture as it is, or a smaller one. It works long, so not where others wait.
pub(super) fn fit(bytes: &[u8]) -> Result<MediaFile, NotAPicture> {
    let format = guess_format(bytes).map_err(|_unknown| NotAPicture::Type)?;
    if ![ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP].contains(&format)
    {
        return Err(NotAPicture::Type);
    }
    // Read to its end even if it stays as it is: half a picture would fail every prompt it is in.
    let picture = unfold(bytes, format)?;
    let is_small = picture.width().max(picture.height()) <= SIDE_PIXELS_MAX;
    if is_small && bytes.len() <= BYTES_MAX {
        return Ok(MediaFile { mime: format.to_mime_type().to_owned(), bytes: bytes.to_vec() });
    }
    let smaller =
        if is_small { picture } else { picture.thumbnail(SIDE_PIXELS_MAX, SIDE_PIXELS_MAX) };
    Ok(write(&smaller)?)
}

/// The first frame, upright.
fn unfold(bytes: &[u8], format: ImageFormat) -> ImageResult<DynamicImage> {
    let mut limits = Limits::default();
    limits.max_image_width = Some(UNFOLDED_SIDE_PIXELS_MAX);
    limits.max_image_height = Some(UNFOLDED_SIDE_PIXELS_MAX);
    limits.max_alloc = Some(UNFOLDED_BYTES_MAX);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits.clone());
    let mut decoder = reader.into_decoder()?;
    limits.reserve(decoder.total_bytes())?;
    decoder.set_limits(limits)?;
    let orientation = decoder.orientation()?;
    let mut picture = DynamicImage::from_decoder(decoder)?;
    picture.apply_orientation(orientation);
    Ok(picture)
}

/// As PNG where it can be seen through, otherwise as JPEG.
fn write(picture: &DynamicImage) -> ImageResult<MediaFile> {
    let mut bytes = Vec::new();
    let is_clear = picture.color().has_alpha()
        && picture.to_rgba8().pixels().any(|pixel| pixel.0[3] < u8::MAX);
    let format = if is_clear {
        let plain = DynamicImage::from(picture.to_rgba8());
        plain.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png)?;
        ImageFormat::Png
    } else {
        picture
            .to_rgb8()
            .write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY))?;
        ImageFormat::Jpeg
    };
    Ok(MediaFile { mime: format.to_mime_type().to_owned(), bytes })
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage, Rgba, RgbaImage};

    use super::*;

    fn opaque(width: u32, height: u32) -> DynamicImage {
        RgbImage::from_fn(width, height, |x, y| {
            Rgb([u8::try_from(x % 256).unwrap(), u8::try_from(y % 256).unwrap(), 7])
        })
        .into()
    }

    fn clear(width: u32, height: u32) -> DynamicImage {
        RgbaImage::from_pixel(width, height, Rgba([1, 2, 3, 100])).into()
    }

    fn bytes(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Vec::new();
        picture.write_to(&mut Cursor::new(&mut bytes), format).unwrap();
        bytes
    }

    fn size(file: &MediaFile) -> (u32, u32) {
        let picture = image::load_from_memory(&file.bytes).unwrap();
        (picture.width(), picture.height())
    }

    #[test]
    fn a_small_picture_stays_as_it_is() {
        for (format, mime) in [
            (ImageFormat::Png, "image/png"),
            (ImageFormat::Jpeg, "image/jpeg"),
            (ImageFormat::Gif, "image/gif"),
            (ImageFormat::WebP, "image/webp"),
        ] {
            for picture in [opaque(1, 1), opaque(20, 10)] {
                let given = bytes(&picture, format);
                let file = fit(&given).unwrap();
                assert_eq!((file.mime.as_str(), file.bytes == given), (mime, true));
            }
        }
        let given = bytes(&opaque(1_024, 2), ImageFormat::Png);
        assert!(fit(&given).unwrap().bytes == given, "it is not larger than allowed");
    }

    #[test]
    fn a_larger_one_is_scaled_by_its_longer_side() {
        for (picture, format, mime, expected) in [
            (opaque(1_025, 10), ImageFormat::Png, "image/jpeg", (1_024, 10)),
            (opaque(50, 2_000), ImageFormat::Jpeg, "image/jpeg", (26, 1_024)),
            (opaque(2_048, 1), ImageFormat::WebP, "image/jpeg", (1_024, 1)),
            (clear(1_500, 30), ImageFormat::Png, "image/png", (1_024, 20)),
        ] {
            let file = fit(&bytes(&picture, format)).unwrap();
            assert_eq!((file.mime.as_str(), size(&file)), (mime, expected));
            assert_eq!(guess_format(&file.bytes).unwrap().to_mime_type(), mime);
        }
    }

    #[test]
    fn a_picture_of_many_bytes_is_written_anew() {
        let mut given = bytes(&opaque(20, 10), ImageFormat::Jpeg);
        // What follows the end of a picture is no part of it.
        given.resize(BYTES_MAX + 1, 0);
        let file = fit(&given).unwrap();
        assert_eq!((file.mime.as_str(), size(&file)), ("image/jpeg", (20, 10)));
        assert!(file.bytes.len() < 10_000);
    }

    #[test]
    fn what_is_no_picture_or_half_of_one_is_refused() {
        let whole = bytes(&opaque(200, 100), ImageFormat::Png);
        assert_eq!(fit(b"").unwrap_err(), NotAPicture::Type);
        assert_eq!(fit(b"<html>").unwrap_err(), NotAPicture::Type);
        assert_eq!(fit(b"BM\x1a\0\0\0").unwrap_err(), NotAPicture::Type);
        assert_eq!(fit(&whole[..whole.len() / 2]).unwrap_err(), NotAPicture::Broken);
        assert_eq!(fit(&whole[..8]).unwrap_err(), NotAPicture::Broken);
    }

    #[test]
    fn a_bomb_is_not_unfolded() {
        // A GIF that says it has four thousand million pixels.
        let mut gif = b"GIF89a\xff\xff\xff\xff\0\0\0,\0\0\0\0\xff\xff\xff\xff\0\x02".to_vec();
        gif.extend_from_slice(b"\x02L\x01\0;");
        assert_eq!(fit(&gif).unwrap_err(), NotAPicture::TooLarge);
        // A PNG that says it has nine hundred million.
        let mut png =
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x75\x30\0\0\x75\x30\x08\x06\0\0\0".to_vec();
        png.extend_from_slice(&[0x66, 0x27, 0xf8, 0xba]);
        png.extend_from_slice(b"\0\0\0\0IDAT\x35\xaf\x06\x1e");
        assert_eq!(fit(&png).unwrap_err(), NotAPicture::TooLarge);
    }
}
