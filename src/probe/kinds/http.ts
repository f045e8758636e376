/** The http check: a look at a URL, judged by the monitor's expectations. */
import { lookWith, noReading } from "../HttpLook.ts"
import type { Probe } from "../ProbeResult.ts"

export const lookHttp: Probe<"http"> = (assignment, tools, done) => lookWith(assignment, tools, noReading, done)
