/** The guards of processes that serve no operations: none. */
import type { Guards } from "./Guards.ts"

export const unguarded: Guards = () => (handler) => handler
