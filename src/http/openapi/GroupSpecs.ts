/** The library's OpenAPI document of the registry, made one group at a time: in one piece it holds the event loop too long. */
import { HttpApi, type HttpApiGroup, OpenApi } from "@effect/platform"
import { Api } from "../../../schema/api/Api.ts"
import { wire } from "../../../schema/Errors.ts"
import type { Steps } from "../../domain/tools/Steps.ts"

const apiWith = (group: HttpApiGroup.HttpApiGroup.Any) =>
  HttpApi.make(Api.identifier).add(group).addError(wire.internal).annotateContext(Api.annotations)

const merged = (one: OpenApi.OpenAPISpec, other: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec => ({
  ...one,
  paths: { ...one.paths, ...mergedPaths(one.paths, other.paths) },
  components: { ...one.components, schemas: { ...one.components.schemas, ...other.components.schemas } },
  tags: [...one.tags, ...other.tags]
})

/** Groups may share a path, such as that of a resource that each of them lists. */
const mergedPaths = (one: OpenApi.OpenAPISpec["paths"], other: OpenApi.OpenAPISpec["paths"]): OpenApi.OpenAPISpec["paths"] =>
  Object.fromEntries(Object.entries(other).map(([path, methods]) => [path, { ...one[path], ...methods }]))

/** The same as `OpenApi.fromApi(Api)`, in steps. */
export function* specSteps(): Steps<OpenApi.OpenAPISpec> {
  let spec: OpenApi.OpenAPISpec | null = null
  for (const group of Object.values<HttpApiGroup.HttpApiGroup.Any>(Api.groups)) {
    const found = OpenApi.fromApi(apiWith(group))
    spec = spec === null ? found : merged(spec, found)
    yield
  }
  return spec ?? OpenApi.fromApi(Api)
}
