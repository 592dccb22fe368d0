// The one shape of all errors: specification 2.

import Type from "typebox";

export const ErrorShape = Type.Object(
  {
    error: Type.Object(
      {
        status: Type.Integer({ description: "The HTTP status." }),
        message: Type.Record(Type.String(), Type.Array(Type.String(), { minItems: 1 }), {
          description: "By field (dotted when nested); `base` is the whole request, `fatal` the system.",
        }),
      },
      { additionalProperties: false },
    ),
    debug: Type.Array(Type.Unknown(), { description: "Always empty.", maxItems: 0 }),
  },
  {
    $id: "ApiError",
    additionalProperties: false,
    description: "What is wrong, by field.",
    examples: [{ error: { status: 422, message: { amount: ["must be an amount from 0.01 to 9999999"] } }, debug: [] }],
  },
);
