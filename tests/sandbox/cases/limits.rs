//! What a tool may use.

use super::{Case, attempt};

pub fn all() -> Vec<Case> {
    vec![
        attempt("tmp_has_a_size", "fill('tmp')", &["ENOSPC"]).only_at_full(),
        attempt("tmp_has_so_many_files", "make_files('tmp/many')", &["ENOSPC"]).only_at_full(),
        attempt("out_has_a_size", "fill('out')", &["ENOSPC"]).only_at_full(),
        attempt("out_has_so_many_files", "make_files('out/many')", &["ENOSPC"]).only_at_full(),
        attempt("out_cannot_be_removed", "os.rmdir('/out')", &["EROFS", "EBUSY", "EACCES"]).only_at_full(),
        attempt("a_sparse_file_has_a_size", "os.ftruncate(os.open('tmp/sparse', 66), 2 ** 31)", &["EFBIG"]),
        attempt("a_sparse_file_of_8_eib", "os.ftruncate(os.open('tmp/sparse', 66), 2 ** 63 - 1)", &["EFBIG"]),
        attempt("memory_has_a_size", "bytearray(8 << 30)", &["MemoryError"]),
    ]
}
