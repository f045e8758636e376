/** Shown only to people whose role allows an operation, such as the link to its form. */
import type { ComponentChildren } from "preact"
import { mayAct } from "../../domain/access/Roles.ts"
import { operationById, type OperationId } from "../frame/DashboardApi.ts"
import { useVisit } from "../frame/Visit.ts"

export const useMay = (call: OperationId): boolean => {
  const { workspace } = useVisit()
  const operation = operationById.get(call)
  if (operation === undefined) return false
  return operation.scope === "public" || operation.unlisted || (workspace !== null && mayAct(workspace.role, operation.leastRole))
}

export const May = ({ call, children }: { readonly call: OperationId; readonly children: ComponentChildren }) =>
  useMay(call) ? <>{children}</> : null
