/** The types of what benches in TypeScript use of processes.mjs. */

/** ms of CPU that a process has used, and its descendants, including those that ended. */
export declare const cpu: (root: number) => { readonly ownMs: number; readonly othersMs: number }
