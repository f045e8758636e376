/** Extracts one operation from the OpenAPI document, with the schemas it references. */
import { Option } from "effect"
import { runSteps } from "../../domain/tools/Steps.ts"
import type { DescribedOperation, OpenApiDocument } from "./OpenApiDocument.ts"
import { only, referred } from "./References.ts"

export interface OperationPart {
  readonly method: string
  readonly path: string
  readonly operation: DescribedOperation
  readonly schemas: Readonly<Record<string, unknown>>
}

/** None if no operation has this id. */
export const operationPart = ({ components, paths }: OpenApiDocument, id: string): Option.Option<OperationPart> => {
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId !== id) continue
      const schemas = only(components.schemas, runSteps(referred([operation], "schemas", components.schemas)))
      return Option.some({ method: method.toUpperCase(), path, operation, schemas })
    }
  }
  return Option.none()
}
