import { RepositoryNamesDocument, SuiteNamesDocument } from '../operations/documents.ts';
import { useAllRows } from './use-pages.ts';

/** All suites to choose from, however many pages they fill. */
export const useSuiteNames = () => useAllRows(SuiteNamesDocument, {}, ({ suites }) => suites);

/** All repositories, likewise. */
export const useRepositoryNames = () => useAllRows(RepositoryNamesDocument, {}, ({ repositories }) => repositories);
