/** Instants as people read them in English texts, in a zone. */
import { DateTime } from "effect"

/** `Nov 22, 2026, 16:05 GMT+2`; `timezone` is an IANA name. */
export const momentText = (at: DateTime.Utc, timezone: string): string =>
  new Intl.DateTimeFormat("en", {
    timeZone: timezone,
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short"
  }).format(DateTime.toDateUtc(at))
