/** What only those see whose role allows an operation, such as the link to its form. */
import type { ComponentChildren } from "preact"
import type { OperationId } from "../frame/DashboardApi.ts"
import { useMay } from "./Form.tsx"

export const May = ({ call, children }: { readonly call: OperationId; readonly children: ComponentChildren }) =>
  useMay(call) ? <>{children}</> : null
