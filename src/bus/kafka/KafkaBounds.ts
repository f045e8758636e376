/** How large messages on the bus, and the requests that carry them, may be. */

/** Fits a 100 kB request body with headers, or evidence with a 16 KiB body, sealed and escaped. */
export const maxMessageBytes = 4 * 1024 * 1024
/** The most that one request carries; by default a broker accepts 1 MiB per partition. A larger message travels alone. */
export const maxRequest = { messages: 2_000, bytes: 900_000 }
