/** The addresses of the reference: a page per group, anchors on it, and each operation as Markdown. */
import { Array } from "effect"
import { type Operation, operations } from "../http/openapi/Operations.ts"

/** The groups in the registry's order, with their operations. */
export const groups: ReadonlyArray<readonly [string, ReadonlyArray<Operation>]> = Object.entries(
  Array.groupBy(operations, ({ group }) => group)
)

export const groupPath = (group: string): `/docs/${string}` => `/docs/${group.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`

export const operationPath = ({ group, id }: Operation): string => `${groupPath(group)}#${id}`

export const markdownPath = (id: string): `/docs/${string}` => `/docs/${id}.md`

export const schemaPath = (name: string): string => `/docs/schemas#schema-${name}`

export const eventPath = (type: string): string => `/docs/webhooks#${type}`

/** The path of an operation as the document writes it. */
export const templatePath = ({ path }: Operation): string => path.replace(/:(\w+)/g, "{$1}")
