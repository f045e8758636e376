/** The http check: requests a URL and judges the response by the monitor's expectations. */
import { checkUrl, noReading } from "../http/HttpCheck.ts"
import type { Probe } from "../Probe.ts"

export const checkHttp: Probe<"http"> = (assignment, tools, done) => checkUrl(assignment, tools, noReading, done)
