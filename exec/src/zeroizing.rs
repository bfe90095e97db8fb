//! Texts for a program that may hold secrets: their memory is wiped when they are dropped.
//!
//! It cannot wipe copies in the kernel, in the program itself and in the search for secrets.

use std::ffi::OsString;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::os::unix::ffi::OsStringExt;

use zeroize::Zeroize;

/// Words or variables; wiped when dropped, and not shown.
#[derive(Clone, Default)]
pub struct Zeroizing<T: Wipe>(Vec<T>);

/// A value that can be wiped.
pub trait Wipe {
    /// Overwrites it.
    fn wipe(&mut self);
}

impl Wipe for OsString {
    fn wipe(&mut self) {
        std::mem::take(self).into_vec().zeroize();
    }
}

impl Wipe for (OsString, OsString) {
    fn wipe(&mut self) {
        self.1.wipe();
    }
}

impl<T: Wipe> FromIterator<T> for Zeroizing<T> {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Self {
        Self(texts.into_iter().collect())
    }
}

impl<T: Wipe> Drop for Zeroizing<T> {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(Wipe::wipe);
    }
}

impl<T: Wipe> Deref for Zeroizing<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: Wipe> DerefMut for Zeroizing<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<T: Wipe> fmt::Debug for Zeroizing<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{} texts]", self.0.len())
    }
}
