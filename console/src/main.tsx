// Where the console begins.

import "@mantine/core/styles.css";
import "./app.css";
import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { endWhenIdle } from "./api/idle.ts";
import { ASKED_AGAIN } from "./api/passing.ts";
import { onChange, signedIn, viewerOf } from "./api/session.ts";
import { App } from "./app.tsx";
import { BASE_PATH } from "./base-path.ts";
import { WaitingSaid } from "./parts/waiting.tsx";
import { theme, variables } from "./theme.ts";

const queries = new QueryClient({
  defaultOptions: {
    // The gateway may be on this very machine: whether there is a network says nothing about it.
    queries: { staleTime: 2_000, networkMode: "always", ...ASKED_AGAIN },
    mutations: { networkMode: "always" },
  },
});

// What was read for one person or merchant is not shown to another.
let holder = viewerOf(signedIn());
onChange(() => {
  if (viewerOf(signedIn()) === holder) return;
  holder = viewerOf(signedIn());
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "door" });
});

endWhenIdle();

const root = document.getElementById("root");
if (root === null) throw new Error("the page has no place for the console");
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
      <QueryClientProvider client={queries}>
        <Router base={`${BASE_PATH}/console`}>
          <App />
          <WaitingSaid />
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
