/** The tables of the sizing model, as far as tests use them. */
import type { Size } from "./sizes.mjs"

export const tableOf: (size: Size) => string
export const podsOf: (size: Size) => string
