/** The http check: a look at a URL, judged by the monitor's expectations. */
import { checkUrl, noReading } from "../HttpCheck.ts"
import type { Probe } from "../ProbeResult.ts"

export const checkHttp: Probe<"http"> = (assignment, tools, done) => checkUrl(assignment, tools, noReading, done)
