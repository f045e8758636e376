/** The public address of this service, without a trailing slash. */
import { Context } from "effect"

export class BaseUrl extends Context.Tag("belltower/BaseUrl")<BaseUrl, string>() {}

/** The OpenAPI document; hints refer to it. */
export const specUrl = (baseUrl: string) => `${baseUrl}/api/v1/openapi.json`

export const docsUrl = (baseUrl: string) => `${baseUrl}/docs`
