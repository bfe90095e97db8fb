//! A filter of system calls in the kernel's form, and the few tests of which it consists.
//!
//! It is assembled here, not by a library, because it gives several answers and kills x32, whose calls come under the native
//! architecture's name.
//!
//! Standards: Documentation/userspace-api/seccomp_filter.rst, Documentation/networking/filter.rst.

use std::ffi::c_long;
use std::mem::offset_of;

use libc::{seccomp_data, sock_filter};

/// `AUDIT_ARCH_*` of linux/audit.h for the architecture that this is built for.
#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;
#[cfg(target_arch = "riscv64")]
const ARCHITECTURE: u32 = 0xc000_00f3;

/// The first number that belongs to the x32 calls.
#[cfg(target_arch = "x86_64")]
const X32_BIT: u32 = 0x4000_0000;

const KILL: u32 = libc::SECCOMP_RET_KILL_PROCESS;
pub(super) const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
/// Returns success without making the call.
pub(super) const DONE: u32 = libc::SECCOMP_RET_ERRNO;
pub(super) const EPERM: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned();
pub(super) const ENOSYS: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned();
pub(super) const ENOTTY: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOTTY.cast_unsigned();
pub(super) const EOPNOTSUPP: u32 = libc::SECCOMP_RET_ERRNO | libc::EOPNOTSUPP.cast_unsigned();

/// A filter, ready for the kernel.
pub(crate) struct Program(Vec<sock_filter>);

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Program of {} instructions", self.0.len())
    }
}

/// A call's number as the filter sees it.
fn number(call: c_long) -> u32 {
    u32::try_from(call).unwrap_or(u32::MAX)
}

impl Program {
    pub(super) fn instructions(&self) -> &[sock_filter] {
        &self.0
    }

    /// A filter that kills foreign calls, rejects calls from number `unknown` on, and loads the call's number for the
    /// following tests.
    pub(super) fn begin(unknown: u32) -> Self {
        let mut program = Self(Vec::with_capacity(320));
        program.load(offset_of!(seccomp_data, arch));
        program.unless_equal(ARCHITECTURE, KILL);
        program.load(offset_of!(seccomp_data, nr));
        #[cfg(target_arch = "x86_64")]
        program.if_at_least(X32_BIT, KILL);
        program.if_at_least(unknown, ENOSYS);
        program
    }

    /// Answers these calls for all arguments.
    pub(super) fn refuse(&mut self, calls: &[c_long], answer: u32) {
        for call in calls {
            self.if_equal(number(*call), answer);
        }
    }

    fn push(&mut self, code: u32, operand: u32, then: u8, otherwise: u8) {
        // All codes have 16 bits; the constants are wider than the field.
        let code = u16::try_from(code).unwrap_or(u16::MAX);
        self.0.push(sock_filter { code, jt: then, jf: otherwise, k: operand });
    }

    /// Loads 32 bits of the call's description.
    fn load(&mut self, offset: usize) {
        self.push(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, u32::try_from(offset).unwrap_or(u32::MAX), 0, 0);
    }

    /// Loads the low 32 bits of an argument, counted from 0.
    pub(super) fn load_argument(&mut self, index: usize) {
        let big_endian = if cfg!(target_endian = "big") { 4 } else { 0 };
        self.load(offset_of!(seccomp_data, args) + 8 * index + big_endian);
    }

    /// Answers if an argument of 64 bits is not zero.
    pub(super) fn unless_zero(&mut self, index: usize, answer: u32) {
        for half in [0, 4] {
            self.load(offset_of!(seccomp_data, args) + 8 * index + half);
            self.unless_equal(0, answer);
        }
    }

    pub(super) fn mask(&mut self, bits: u32) {
        self.push(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, bits, 0, 0);
    }

    pub(super) fn answer(&mut self, answer: u32) {
        self.push(libc::BPF_RET | libc::BPF_K, answer, 0, 0);
    }

    pub(super) fn if_equal(&mut self, value: u32, answer: u32) {
        self.push(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, value, 0, 1);
        self.answer(answer);
    }

    pub(super) fn unless_equal(&mut self, value: u32, answer: u32) {
        self.push(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, value, 1, 0);
        self.answer(answer);
    }

    fn if_at_least(&mut self, value: u32, answer: u32) {
        self.push(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, value, 0, 1);
        self.answer(answer);
    }

    pub(super) fn if_any_bit(&mut self, bits: u32, answer: u32) {
        self.push(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, bits, 0, 1);
        self.answer(answer);
    }

    /// Tests that run only if the loaded value is this one.
    pub(super) fn when_equal(&mut self, value: u32, questions: impl FnOnce(&mut Self)) {
        let start = self.0.len();
        self.push(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, value, 0, 0);
        questions(self);
        let passed = u8::try_from(self.0.len() - start - 1).unwrap_or(u8::MAX);
        if let Some(question) = self.0.get_mut(start) {
            question.jf = passed;
        }
    }

    /// Tests for one call, with the call's number loaded; a call that passes is allowed.
    pub(super) fn on(&mut self, call: c_long, questions: impl FnOnce(&mut Self)) {
        self.when_equal(number(call), |program| {
            questions(program);
            program.answer(ALLOW);
        });
    }

    /// The same; a call that passes continues with the following tests.
    pub(super) fn first_on(&mut self, call: c_long, questions: impl FnOnce(&mut Self)) {
        self.when_equal(number(call), |program| {
            questions(program);
            program.load(offset_of!(seccomp_data, nr));
        });
    }
}
