// Limits the length of functions. Constructors are exempt because they only group functions, each of which is measured on its own: the
// generator of an Effect.Service, and a `makeX` that declares functions and returns them as an object.

/** The outermost `.pipe(...)` call around `node`, or `node` itself when it is not piped. */
const piped = (node) => {
  const member = node.parent
  return member.type === "MemberExpression" && member.object === node && member.property.name === "pipe" &&
      member.parent.type === "CallExpression"
    ? piped(member.parent)
    : node
}

const isMember = (node, object, property) =>
  node.type === "MemberExpression" && node.object.name === object && node.property.name === property

/** Whether an expression is `Effect.Service<...>()("...", ...)`, given its outer call. */
const makesService = (call) =>
  call.type === "CallExpression" && call.callee.type === "CallExpression" && isMember(call.callee.callee, "Effect", "Service")

/** Whether a function is the generator in `Effect.Service<...>()("...", { effect: Effect.gen(function*() {...}) })`. */
const constructsService = (node) => {
  const call = node.parent
  if (call.type !== "CallExpression" || !isMember(call.callee, "Effect", "gen")) return false
  const property = piped(call).parent
  return property.type === "Property" && ["effect", "scoped"].includes(property.key.name) && makesService(property.parent.parent)
}

/** Whether a function is `const makeX = (...) => { declarations; return { ... } }`. */
const constructsObject = (node) => {
  const { body, parent } = node
  if (parent.type !== "VariableDeclarator" || !/^make[A-Z]/.test(parent.id.name ?? "") || body.type !== "BlockStatement") {
    return false
  }
  const last = body.body.at(-1)
  return last?.type === "ReturnStatement" && last.argument?.type === "ObjectExpression" &&
    body.body.slice(0, -1).every(({ type }) => type === "VariableDeclaration" || type === "FunctionDeclaration")
}

const nameOf = (node) =>
  node.id?.name ?? (node.parent.type === "VariableDeclarator" || node.parent.type === "Property"
    ? (node.parent.id ?? node.parent.key).name
    : undefined) ??
    "This function"

export const functionLength = {
  meta: {
    type: "suggestion",
    schema: [{
      type: "object",
      properties: { max: { type: "integer", minimum: 1 } },
      required: ["max"],
      additionalProperties: false
    }],
    messages: { long: "{{name}} has {{lines}} lines of code; at most {{max}} fit on a screen. Split it." }
  },
  create: (context) => {
    const [{ max }] = context.options
    /** Lines with at least one token, which excludes blank lines and comment-only lines. */
    const linesOf = (node) => {
      const lines = new Set()
      for (const { loc } of context.sourceCode.getTokens(node)) {
        for (let line = loc.start.line; line <= loc.end.line; line++) lines.add(line)
      }
      return lines.size
    }
    const check = (node) => {
      const lines = linesOf(node)
      if (lines > max && !constructsService(node) && !constructsObject(node)) {
        context.report({ node, messageId: "long", data: { name: nameOf(node), lines, max } })
      }
    }
    return { FunctionDeclaration: check, FunctionExpression: check, ArrowFunctionExpression: check }
  }
}
