import type { ActingApp } from './callers.ts';
import type { Annotation } from './check-run-input.ts';

export type CheckRunRow = {
  id: number;
  repositoryId: number;
  repository: string;
  app: ActingApp;
  name: string;
  head_sha: string;
  external_id: string;
  details_url: string | null;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: string | null;
  started_at: string;
  completed_at: string | null;
  output: { title: string | null; summary: string | null; text: string | null };
  annotations: Annotation[];
  actions: { label: string; description: string; identifier: string }[];
};
