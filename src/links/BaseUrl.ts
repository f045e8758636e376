/** The address that people and agents reach this service by, without a trailing slash. */
import { Context } from "effect"

export class BaseUrl extends Context.Tag("belltower/BaseUrl")<BaseUrl, string>() {}

/** Where the interface is described, for hints. */
export const specUrl = (baseUrl: string) => `${baseUrl}/api/v1/openapi.json`

/** The same for people. */
export const docsUrl = (baseUrl: string) => `${baseUrl}/docs`
