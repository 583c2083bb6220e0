! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! threadprivate common blocks, module variables, save variables and allocatables; copyin and copyprivate.
module state
  implicit none
  integer :: module_value = 5
  real, allocatable :: module_array(:)
  !$omp threadprivate(module_value, module_array)
end module state

module bodies
  use check
  use omp_lib
  use state
  implicit none
contains

  subroutine common_block(width) bind(c)
    integer(c_int), value :: width
    integer :: i, j
    real :: x(20)
    common /block/ i, j, x
    !$omp threadprivate(/block/)
    !$omp parallel num_threads(width)
    i = omp_get_thread_num()
    x = real(i)
    !$omp barrier
    call expect(i == omp_get_thread_num() .and. all(x == real(i)), "own copy")
    !$omp end parallel
    j = 17 + omp_get_level()
    x(20) = 2.5
    !$omp parallel num_threads(width) copyin(/block/)
    call expect(j == 17 + omp_get_level() - 1 .and. x(20) == 2.5, "copyin")
    !$omp barrier
    j = j + omp_get_thread_num()
    !$omp single
    i = 99
    !$omp end single copyprivate(i)
    call expect(i == 99, "copyprivate")
    !$omp end parallel
  end subroutine common_block

  subroutine module_variables(width) bind(c)
    integer(c_int), value :: width
    integer, save :: kept = 3
    !$omp threadprivate(kept)
    !$omp parallel num_threads(width)
    module_value = 10 + omp_get_thread_num()
    kept = 20 + omp_get_thread_num()
    if (allocated(module_array)) deallocate (module_array)
    allocate (module_array(omp_get_thread_num() + 1))
    module_array = real(module_value)
    !$omp barrier
    call expect(module_value == 10 + omp_get_thread_num(), "module variable")
    call expect(kept == 20 + omp_get_thread_num(), "saved variable")
    call expect(size(module_array) == omp_get_thread_num() + 1, "allocatable")
    call expect(all(module_array == real(module_value)), "its values")
    !$omp end parallel
    module_value = 1234
    !$omp parallel num_threads(width) copyin(module_value)
    call expect(module_value == 1234, "copyin of a module variable")
    !$omp end parallel
  end subroutine module_variables

  subroutine persists(width) bind(c)
    integer(c_int), value :: width
    integer :: round
    if (omp_get_level() /= 0) return
    do round = 0, 3
       !$omp parallel num_threads(width)
       if (round == 0) module_value = omp_get_thread_num()
       call expect(module_value == omp_get_thread_num() + round, "kept between regions")
       module_value = module_value + 1
       !$omp end parallel
    end do
  end subroutine persists

end module bodies

program common_blocks
  use bodies
  call run_check("common-block", common_block)
  call run_check("module-variables", module_variables)
  call run_check("persists", persists)
  call finish()
end program common_blocks
