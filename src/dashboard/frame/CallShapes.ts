/** Texts about operations in the dashboard: their summaries, and the shapes that "Copy as API call" needs. */
import { type Arguments, namesOf } from "../../http/server/InProcessCall.ts"
import { inWords } from "../design/Parts.tsx"
import { operationById, type OperationId } from "./DashboardApi.ts"
import type { CallArguments, CallShape } from "./Snippets.ts"

const shapes = new Map<string, CallShape>()

export const shapeOf = (id: OperationId): CallShape => {
  const known = shapes.get(id)
  if (known !== undefined) return known
  const operation = operationById.get(id)
  const shape = operation === undefined
    ? { id, method: "GET", path: "", query: [], isTool: false }
    : {
      id,
      method: operation.method,
      path: operation.path,
      query: namesOf(operation.query),
      isTool: !operation.unlisted
    }
  shapes.set(id, shape)
  return shape
}

export const isTool = (id: OperationId): boolean => shapeOf(id).isTool

const isArguments = (_given: Arguments): _given is CallArguments => true

/** Arguments that views pass are JSON already. */
export const jsonOf = (given: Arguments): CallArguments => (isArguments(given) ? given : {})

export const isOperationId = (id: string): id is OperationId => operationById.has(id)

/** An entry of the audit log that is no operation, such as a sign-in, has only its name: `sign_in`. */
export const operationSummary = (id: string): string => operationById.get(id)?.summary ?? inWords(id)
