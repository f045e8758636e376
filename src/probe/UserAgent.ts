/** How checks introduce themselves to the servers they check. */

export const userAgent = "Belltower/1.0 (+https://belltower.dev)"
