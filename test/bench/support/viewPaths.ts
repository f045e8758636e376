/** Sends the paths of all views of the dashboard to the process that started this one. */
import { views } from "../../../src/dashboard/views/Views.ts"

process.send?.(views.map(({ path }) => path), () => process.exit(0))
