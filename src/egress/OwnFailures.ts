/** Failures of this process, which say nothing about the other side. */

/** The process or the machine has no file descriptor left, so nothing was sent. */
export const isOfProcess = ({ code }: { readonly code?: string | undefined }): boolean => code === "EMFILE" || code === "ENFILE"
