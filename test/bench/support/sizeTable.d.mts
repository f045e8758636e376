/** What tests use of the tables of the sizing model. */
import type { Size } from "./sizes.mjs"

export const tableOf: (size: Size) => string
export const podsOf: (size: Size) => string
